// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import latebloom.parquet.types.FlatType;
import latebloom.read.vector.StringValues;

/**
 * Decodes PLAIN byte strings, each after its length in 4 bytes, or of one fixed length. Skips
 * unwanted ones by their lengths alone.
 */
public final class PlainByteArrayDecoder implements StringValues {
  private final byte[] data;
  private final int end;
  private final int fixed;
  private int next;
  private int at;

  PlainByteArrayDecoder(FlatType type, Bytes bytes) {
    this.data = bytes.array();
    this.at = bytes.start();
    this.end = bytes.end();
    this.fixed = type.physical() == FlatType.Physical.FIXED_BINARY ? type.width() : -1;
  }

  @Override
  public byte[] data() {
    return data;
  }

  @Override
  public void locate(int[] indexes, int n, int[] offsets, int[] lengths) {
    if (fixed >= 0) {
      locateFixed(indexes, n, offsets, lengths);
      return;
    }
    int pos = at;
    int index = next;
    for (int i = 0; i < n; i++) {
      int wanted = indexes[i];
      while (index < wanted) {
        pos = past(pos);
        index++;
      }
      int after = past(pos);
      offsets[i] = pos + Integer.BYTES;
      lengths[i] = after - pos - Integer.BYTES;
      pos = after;
      index++;
    }
    at = pos;
    next = index;
  }

  private int past(int pos) {
    if (pos > end - Integer.BYTES) {
      throw new CorruptPageException("the page ends before its last string");
    }
    int length = Bytes.intAt(data, pos);
    if (length < 0 || length > end - pos - Integer.BYTES) {
      throw new CorruptPageException(
          "a string of " + length + " bytes, where " + (end - pos - Integer.BYTES) + " remain");
    }
    return pos + Integer.BYTES + length;
  }

  private void locateFixed(int[] indexes, int n, int[] offsets, int[] lengths) {
    if (n > 0 && (indexes[n - 1] + 1L) * fixed > end - at) {
      throw new CorruptPageException("the page ends before its last value");
    }
    for (int i = 0; i < n; i++) {
      offsets[i] = at + indexes[i] * fixed;
      lengths[i] = fixed;
    }
  }
}
