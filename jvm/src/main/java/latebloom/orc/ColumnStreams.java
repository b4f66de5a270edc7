// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.util.BitSet;
import java.util.List;
import latebloom.read.io.RangeFetcher.WantedRange;
import latebloom.read.selection.Selection;
import latebloom.read.task.RunningTask;

/**
 * The streams of one wanted column in a stripe, and the strides of it that were asked for. With a row
 * index only streams' parts are fetched, those of strides that hold wanted rows; without one, or when
 * rows of all strides are wanted, the streams are fetched whole.
 */
final class ColumnStreams {
  private final OrcStripe stripe;
  private final OrcColumn column;
  private final List<StripeStream> streams;
  private final BitSet strides = new BitSet();
  private boolean whole;
  private boolean indexed;
  private boolean planned = true;
  private int generation;

  ColumnStreams(OrcStripe stripe, OrcColumn column, List<StripeStream> streams) {
    this.stripe = stripe;
    this.column = column;
    this.streams = streams;
  }

  /** Changes when more strides are asked for: what was opened before then has not got them. */
  int generation() {
    return generation;
  }

  /** Whether the row index says what need not be fetched for {@code rows}. */
  boolean wantsIndex(Selection rows) {
    return !whole && !rows.isNone() && !stripe.strides().allHold(rows);
  }

  void wantIndex(List<WantedRange> ranges) {
    for (int id : column.ids) {
      stripe.indexes().want(id, ranges);
    }
  }

  /** Notes that {@code rows} will be read. */
  void want(Selection rows) {
    if (whole || rows.isNone()) {
      return;
    }
    indexed = stripe.indexes().hasAll(column.ids);
    if (!indexed || stripe.strides().allHold(rows)) {
      whole = true;
      planned = false;
      generation++;
      return;
    }
    int before = strides.cardinality();
    stripe.strides().addHolding(rows, strides);
    if (strides.cardinality() > before) {
      planned = false;
      generation++;
    }
  }

  /** Adds what must be fetched, and was not before, for the rows that were asked for. */
  void plan(List<WantedRange> ranges) {
    if (planned) {
      return;
    }
    planned = true;
    for (StripeStream s : streams) {
      if (whole || stripe.isDictionary(s)) {
        s.want(0, s.length, ranges);
        continue;
      }
      for (int from = strides.nextSetBit(0); from >= 0; ) {
        int to = strides.nextClearBit(from);
        RunningTask.checkNotKilled();
        int start = stripe.indexes().start(s, from);
        int end = stripe.indexes().end(s, to);
        // A stride without a value begins where the stream ends: a cursor is to get there.
        s.want(start == s.length && start > 0 ? start - 1 : start, end, ranges);
        from = strides.nextSetBit(to);
      }
    }
  }

  /** As {@link #plan}, of the dictionary only. */
  void planDictionary(List<WantedRange> ranges) {
    for (StripeStream s : streams) {
      if (stripe.isDictionary(s)) {
        s.want(0, s.length, ranges);
      }
    }
  }

  /** Bytes of all its streams in the stripe. */
  long bytes() {
    return streams.stream().mapToLong(s -> s.length).sum();
  }

  /** Whether the row index of the column is known. */
  boolean isIndexed() {
    return indexed;
  }

  /** How many strides were asked for. */
  int stridesWanted() {
    return whole ? stripe.strides().count() : strides.cardinality();
  }
}
