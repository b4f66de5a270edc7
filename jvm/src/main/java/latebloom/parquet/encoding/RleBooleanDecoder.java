// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import latebloom.read.vector.FixedValues;

/** Decodes booleans in the RLE encoding, after their length in 4 bytes, as 0 and 1. */
public final class RleBooleanDecoder implements FixedValues {
  private final RleBitPackingHybridDecoder bits;
  private int[] block = {};

  RleBooleanDecoder(Bytes bytes) {
    int length = bytes.framedLength();
    int from = bytes.start() + Integer.BYTES;
    this.bits = new RleBitPackingHybridDecoder(bytes.array(), from, from + length, 1);
  }

  /** The underlying runs. */
  public RleBitPackingHybridDecoder bits() {
    return bits;
  }

  @Override
  public void read(int[] indexes, int n, long[] out) {
    if (block.length < n) {
      block = new int[n];
    }
    bits.read(indexes, n, block);
    for (int i = 0; i < n; i++) {
      out[i] = block[i] == 0 ? 0 : 1;
    }
  }
}
