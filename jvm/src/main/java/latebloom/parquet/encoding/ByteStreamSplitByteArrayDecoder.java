// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import java.util.Arrays;
import latebloom.read.vector.StringValues;

/**
 * Decodes BYTE_STREAM_SPLIT byte arrays of one fixed length: as {@link ByteStreamSplitDecoder},
 * byte by byte.
 */
final class ByteStreamSplitByteArrayDecoder implements StringValues {
  private final byte[] source;
  private final int start;
  private final int width;
  private final int stride;
  private byte[] data = {};

  /**
   * @param count values that the page must hold
   */
  ByteStreamSplitByteArrayDecoder(Bytes bytes, int width, int count) {
    this.source = bytes.array();
    this.start = bytes.start();
    this.width = width;
    this.stride = ByteStreamSplitDecoder.stride(bytes, width, count);
  }

  @Override
  public byte[] data() {
    return data;
  }

  @Override
  public void locate(int[] indexes, int n, int[] offsets, int[] lengths) {
    if (data.length < (long) n * width) {
      data = new byte[CheckedSizes.ofArray((long) n * width, "a block of strings")];
    }
    for (int b = 0; b < width; b++) {
      gather(indexes, n, start + b * stride, b);
    }
    for (int i = 0; i < n; i++) {
      offsets[i] = i * width;
    }
    Arrays.fill(lengths, 0, n, width);
  }

  private void gather(int[] indexes, int n, int stream, int at) {
    for (int i = 0; i < n; i++) {
      data[i * width + at] = source[stream + indexes[i]];
    }
  }
}
