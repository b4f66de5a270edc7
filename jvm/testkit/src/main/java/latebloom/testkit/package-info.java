// SPDX-License-Identifier: Apache-2.0

/**
 * What tests, fuzzers and benchmarks share and the product does without: file systems that are slow
 * or faulty, runs over them, and what they must not leave behind.
 */
package latebloom.testkit;
