// SPDX-License-Identifier: Apache-2.0

/**
 * Tracks the state of a task: its counters, its memory, and whether it was killed.
 *
 * <p>Imports nothing of ours.
 */
package latebloom.read.task;
