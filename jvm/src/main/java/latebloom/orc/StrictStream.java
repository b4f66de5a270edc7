// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.EOFException;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.hadoop.hive.common.io.DiskRangeList;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.PositionProvider;

/**
 * A stream that fails where it has ended. orc-core's readers of numbers would take what is in their
 * buffers for values, for as many as a damaged length says.
 */
final class StrictStream extends InStream {
  private final InStream in;

  StrictStream(InStream in) {
    super(in, 0, 0);
    this.in = in;
  }

  @Override
  public int read() throws IOException {
    return in.read();
  }

  @Override
  public int read(byte[] data, int from, int wanted) throws IOException {
    int n = in.read(data, from, wanted);
    if (n <= 0 && wanted > 0) {
      throw new EOFException("the stream ends before its last value");
    }
    return n;
  }

  @Override
  public int available() throws IOException {
    return in.available();
  }

  @Override
  public void seek(PositionProvider index) throws IOException {
    in.seek(index);
  }

  @Override
  public void close() {
    in.close();
  }

  @Override
  public void changeIv(Consumer<byte[]> modifier) {
    in.changeIv(modifier);
  }

  @Override
  protected void setCurrent(DiskRangeList newRange, boolean isJump) {
    throw new UnsupportedOperationException("its bytes are those of another stream");
  }
}
