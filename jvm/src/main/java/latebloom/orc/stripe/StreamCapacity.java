// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import org.apache.orc.OrcProto.Stream.Kind;
import org.apache.orc.TypeDescription;

/**
 * Whether a column's streams have the bytes for a number of values. No encoding of ORC packs values
 * more densely than bits in runs of bytes: 130 bytes of eight bits in two.
 */
public final class StreamCapacity {
  private static final long MOST_PER_BYTE = 130 * 8 / 2;

  /** Bytes that are worth no look at what they are decompressed: chunks that grow are not kept. */
  private static final long FEW_PER_BYTE = 64;

  private final StripeStreams stripe;

  public StreamCapacity(StripeStreams stripe) {
    this.stripe = stripe;
  }

  /**
   * Whether the bytes fetched of a column of the file may hold so many values, nulls included. True
   * if no stream tells.
   */
  boolean canHold(TypeDescription type, long values) {
    int id = type.getId();
    if (stripe.has(id, Kind.PRESENT)) {
      return canHold(id, Kind.PRESENT, values);
    }
    return switch (type.getCategory()) {
      case STRUCT -> type.getChildren().stream().allMatch(field -> canHold(field, values));
      case LIST, MAP -> canHold(id, Kind.LENGTH, values);
      case STRING, CHAR, VARCHAR, BINARY ->
          canHold(id, stripe.isDictionary(id, Kind.LENGTH) ? Kind.DATA : Kind.LENGTH, values);
      default -> canHold(id, Kind.DATA, values);
    };
  }

  /** Whether the bytes fetched of a stream may hold so many values. True if there is no stream. */
  public boolean canHold(int id, Kind kind, long values) {
    StripeStream stream = stripe.stream(id, kind);
    return stream == null
        || stream.fetched() * FEW_PER_BYTE >= values
        || stream.mostBytes(stripe.split.compression()) * MOST_PER_BYTE >= values;
  }

  /** Whether the bytes fetched of a stream are so many once decompressed. True if it is empty. */
  public boolean canHoldBytes(int id, Kind kind, long bytes) {
    StripeStream stream = stripe.stream(id, kind);
    return stream == null
        || stream.length == 0
        || stream.fetched() >= bytes
        || stream.mostBytes(stripe.split.compression()) >= bytes;
  }
}
