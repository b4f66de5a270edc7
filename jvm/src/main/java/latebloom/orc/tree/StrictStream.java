// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.tree;

import java.io.EOFException;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.hadoop.hive.common.io.DiskRangeList;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.PositionProvider;
import org.apache.orc.impl.StreamName;

/**
 * A stream that names itself in errors, and fails at its end. orc-core's readers of numbers would
 * instead take stale buffer bytes for values, as many as a damaged length claims.
 */
final class StrictStream extends InStream {
  private final InStream in;
  private final StreamName name;
  private final boolean mayEnd;

  /**
   * @param mayEnd whether a reader may read up to its end
   */
  StrictStream(InStream in, StreamName name, boolean mayEnd) {
    super(in, 0, 0);
    this.in = in;
    this.name = name;
    this.mayEnd = mayEnd;
  }

  @Override
  public int read() throws IOException {
    try {
      return in.read();
    } catch (IOException | RuntimeException e) {
      throw named(e);
    }
  }

  @Override
  public int read(byte[] data, int from, int wanted) throws IOException {
    int n;
    try {
      n = in.read(data, from, wanted);
    } catch (IOException | RuntimeException e) {
      throw named(e);
    }
    if (n <= 0 && wanted > 0 && !mayEnd) {
      throw new EOFException(name + " ends before its last value");
    }
    return n;
  }

  private IOException named(Exception e) {
    return new IOException(name + ": " + e, e);
  }

  @Override
  public int available() throws IOException {
    return in.available();
  }

  @Override
  public void seek(PositionProvider index) throws IOException {
    try {
      in.seek(index);
    } catch (IOException | RuntimeException e) {
      throw named(e);
    }
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
