// SPDX-License-Identifier: Apache-2.0

/**
 * What all of a task shares: its counters, the memory that it may hold, and whether it was killed.
 *
 * <p>Imports nothing of ours.
 */
package latebloom.read.task;
