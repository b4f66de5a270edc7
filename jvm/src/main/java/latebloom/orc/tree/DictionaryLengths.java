// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.tree;

import java.io.IOException;
import latebloom.orc.encoding.ByteFeed;
import latebloom.orc.encoding.CorruptStreamException;
import latebloom.orc.encoding.IntegerRunLength;
import latebloom.orc.stripe.StreamCapacity;
import latebloom.orc.stripe.StripeStreams;
import org.apache.orc.OrcProto;
import org.apache.orc.OrcProto.Stream.Kind;

/**
 * Checks the lengths of a dictionary before orc-core reads it. orc-core allocates an int for each
 * entry that the footer claims, and then what the lengths add up to, before it reads a byte of the
 * entries: a few damaged bytes would claim gigabytes.
 */
final class DictionaryLengths {
  /** So many entries, or bytes, are not worth a look at their streams. */
  private static final int FEW = 1 << 20;

  private static final int STEP = 1024;

  private DictionaryLengths() {}

  /** Throws if a column's dictionary claims far more than its streams can hold. */
  static void check(StripeStreams stripe, int column) throws IOException {
    OrcProto.ColumnEncoding encoding = stripe.encoding(column);
    int size = encoding.getDictionarySize();
    if (size <= 0 || !stripe.has(column, Kind.LENGTH)) {
      return;
    }
    StreamCapacity capacity = new StreamCapacity(stripe);
    if (size > FEW && !capacity.canHold(column, Kind.LENGTH, size)) {
      throw new CorruptStreamException(
          "a dictionary of " + size + " entries, where the stream of their lengths can hold fewer");
    }
    int bytes;
    try {
      ByteFeed feed = new ByteFeed(stripe.open(column, Kind.LENGTH), Kind.LENGTH);
      bytes = sum(IntegerRunLength.of(encoding.getKind(), feed, false, Integer.SIZE), size);
    } catch (CorruptStreamException e) {
      // orc-core reads the lengths first, too, and decides what they are.
      return;
    }
    if (bytes > FEW && !capacity.canHoldBytes(column, Kind.DICTIONARY_DATA, bytes)) {
      throw new CorruptStreamException(
          "a dictionary of " + bytes + " bytes, where their stream holds fewer");
    }
  }

  /** Adds up the lengths as orc-core does, in an int. */
  private static int sum(IntegerRunLength lengths, int size) {
    long[] block = new long[Math.min(size, STEP)];
    int sum = 0;
    for (int from = 0; from < size; from += STEP) {
      int n = Math.min(STEP, size - from);
      lengths.readRange(from, n, block);
      for (int i = 0; i < n; i++) {
        sum += (int) block[i];
      }
    }
    return sum;
  }
}
