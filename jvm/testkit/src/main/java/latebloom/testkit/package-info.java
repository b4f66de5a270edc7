// SPDX-License-Identifier: Apache-2.0

/**
 * Code that tests, fuzzers and benchmarks share and the product lacks: slow and faulty file
 * systems, runs over them, and checks for leaks.
 */
package latebloom.testkit;
