// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import latebloom.read.io.RangeFetcher;
import latebloom.read.task.Counters;
import latebloom.read.task.ScanMemory;
import latebloom.read.vector.BlockArrays;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.ReaderImpl;

/**
 * The context that the stripes of a split share.
 *
 * @param reader of the file, which holds its tail
 * @param skipCorrupt whether orc-core skips corrupt runs of numbers
 * @param compression of the streams
 */
public record SplitContext(
    ReaderImpl reader,
    boolean skipCorrupt,
    RangeFetcher fetcher,
    InStream.StreamOptions compression,
    ScanMemory memory,
    Counters counters,
    BlockArrays blocks) {}
