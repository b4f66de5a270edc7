// SPDX-License-Identifier: Apache-2.0
package latebloom.index.sidecar;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import latebloom.index.sidecar.RangeEntry.ColumnKeys;
import latebloom.index.sidecar.RangeEntry.FileState;

/**
 * Writes sidecars, big endian:
 *
 * <pre>
 * magic, version, length and CRC-32C of the header        4 × int
 * header   source of the values                           string
 *          columns: name, field, length and CRC-32C of the section
 *          files: path, length, modification time
 *          ranges: number of the file, start, end
 * sections one a column, in their order: of each range
 *          1 null occurs + 2 keys follow, and these       byte, string
 * </pre>
 *
 * A string is its length in bytes, an int, and UTF-8 or other bytes.
 */
public final class SidecarWriter {
  static final int MAGIC = 0x4c424958;
  static final int VERSION = 1;

  static final int HAS_NULL = 1;
  static final int HAS_KEYS = 2;

  private SidecarWriter() {}

  /**
   * The bytes of a sidecar.
   *
   * @param source all on which it depends how values are read
   */
  public static byte[] write(String source, List<IndexedColumn> columns, List<RangeEntry> entries) {
    try {
      List<byte[]> sections = new ArrayList<>();
      for (int c = 0; c < columns.size(); c++) {
        sections.add(section(entries, c));
      }
      byte[] header = header(source, columns, entries, sections);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeInt(MAGIC);
      out.writeInt(VERSION);
      out.writeInt(header.length);
      out.writeInt(sum(header));
      out.write(header);
      for (byte[] section : sections) {
        out.write(section);
      }
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] section(List<RangeEntry> entries, int column) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (RangeEntry entry : entries) {
      ColumnKeys known = entry.columns().get(column);
      out.writeByte((known.hasNull() ? HAS_NULL : 0) | (known.keys() == null ? 0 : HAS_KEYS));
      if (known.keys() != null) {
        out.writeInt(known.keys().length);
        out.write(known.keys());
      }
    }
    return bytes.toByteArray();
  }

  private static byte[] header(
      String source, List<IndexedColumn> columns, List<RangeEntry> entries, List<byte[]> sections)
      throws IOException {
    Map<FileState, Integer> files = new LinkedHashMap<>();
    entries.forEach(e -> files.putIfAbsent(e.file(), files.size()));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    writeString(out, source);
    out.writeInt(columns.size());
    for (int c = 0; c < columns.size(); c++) {
      writeString(out, columns.get(c).name());
      writeString(out, columns.get(c).field());
      out.writeInt(sections.get(c).length);
      out.writeInt(sum(sections.get(c)));
    }
    out.writeInt(files.size());
    for (FileState file : files.keySet()) {
      writeString(out, file.path());
      out.writeLong(file.length());
      out.writeLong(file.modified());
    }
    out.writeInt(entries.size());
    for (RangeEntry entry : entries) {
      out.writeInt(files.get(entry.file()));
      out.writeLong(entry.start());
      out.writeLong(entry.end());
    }
    return bytes.toByteArray();
  }

  private static void writeString(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  static int sum(byte[] bytes) {
    CRC32C sum = new CRC32C();
    sum.update(bytes, 0, bytes.length);
    return (int) sum.getValue();
  }
}
