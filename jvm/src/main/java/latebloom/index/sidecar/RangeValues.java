// SPDX-License-Identifier: Apache-2.0
package latebloom.index.sidecar;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import latebloom.index.sidecar.RangeEntry.ColumnKeys;

/**
 * What a task has found in a range of a file, on its way to the driver, as bytes: Spark serialises
 * results as the session says, which may be in a way that refuses classes that nobody registered.
 *
 * @param file the name that Spark's metadata columns have for it
 * @param start of the range, in bytes
 */
public record RangeValues(String file, long start, List<ColumnKeys> columns) {

  /** Collects what a task finds. */
  public static final class Output {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    public void add(RangeValues values) {
      try {
        byte[] name = values.file.getBytes(StandardCharsets.UTF_8);
        out.writeInt(name.length);
        out.write(name);
        out.writeLong(values.start);
        out.writeInt(values.columns.size());
        for (ColumnKeys column : values.columns) {
          out.writeBoolean(column.hasNull());
          out.writeInt(column.keys() == null ? -1 : column.keys().length);
          out.write(column.keys() == null ? new byte[0] : column.keys());
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    public byte[] finish() {
      return bytes.toByteArray();
    }
  }

  /** Reads what {@link Output} wrote. */
  public static List<RangeValues> read(byte[] bytes) {
    List<RangeValues> all = new ArrayList<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      while (in.available() > 0) {
        String name = new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
        long start = in.readLong();
        int count = in.readInt();
        List<ColumnKeys> columns = new ArrayList<>();
        for (int c = 0; c < count; c++) {
          boolean hasNull = in.readBoolean();
          int length = in.readInt();
          columns.add(new ColumnKeys(hasNull, length < 0 ? null : in.readNBytes(length)));
        }
        all.add(new RangeValues(name, start, columns));
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
