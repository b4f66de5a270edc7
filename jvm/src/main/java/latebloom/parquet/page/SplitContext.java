// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page;

import latebloom.read.io.RangeFetcher;
import latebloom.read.task.Counters;
import latebloom.read.task.ScanMemory;
import latebloom.read.vector.BlockArrays;

/**
 * The context that the row groups of a split share.
 *
 * @param file its name, for messages
 * @param chainsPages whether the file's writer may have made DELTA_BYTE_ARRAY pages that build on
 *     each other
 */
public record SplitContext(
    String file,
    boolean chainsPages,
    RangeFetcher fetcher,
    PageReader pages,
    ScanMemory memory,
    Counters counters,
    BlockArrays blocks) {}
