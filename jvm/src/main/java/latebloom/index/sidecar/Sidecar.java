// SPDX-License-Identifier: Apache-2.0
package latebloom.index.sidecar;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import latebloom.bloom.KeyFilter;
import latebloom.index.sidecar.RangeEntry.ColumnKeys;
import latebloom.index.sidecar.RangeEntry.FileState;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/**
 * A sidecar as {@link SidecarWriter} wrote it: its header, and the sections of the columns that
 * were asked for. One that is small is read with one request. Thread safe.
 */
public final class Sidecar {
  /** A sidecar of at most so many bytes is read at once, of another one its beginning. */
  private static final int AT_ONCE = 1 << 20;

  private static final int PREFIX = 4 * Integer.BYTES;

  // Of objects, about.
  private static final long OF_FILE = 120;
  private static final long OF_RANGE = 24;

  private final FileSystem store;
  private final FileStatus status;
  private final String source;
  private final List<IndexedColumn> columns = new ArrayList<>();
  private final long[] offsets;
  private final int[] lengths;
  private final int[] sums;
  private final List<FileState> files = new ArrayList<>();
  private final int[] fileOf;
  private final long[] starts;
  private final long[] ends;
  private final Section[] sections;
  private final long headerBytes;

  /** Bytes from the beginning of the sidecar that are there, until all sections are. */
  private byte[] begun;

  /** A column's part of each range. */
  private record Section(byte[] bytes, int[] offsets) {}

  /** Thrown for bytes that are no sidecar, or are damaged. */
  public static final class Unusable extends IOException {
    private static final long serialVersionUID = 1L;

    Unusable(FileStatus file, String why) {
      super(file.getPath() + " is no sidecar of a skip index that this version reads: " + why);
    }
  }

  private Sidecar(FileSystem store, FileStatus status, byte[] begun, byte[] header)
      throws Unusable {
    this.store = store;
    this.status = status;
    this.begun = begun;
    try {
      ByteBuffer in = ByteBuffer.wrap(header);
      source = string(in);
      int count = count(in, 4 * Integer.BYTES);
      offsets = new long[count];
      lengths = new int[count];
      sums = new int[count];
      sections = new Section[count];
      long at = PREFIX + (long) header.length;
      for (int c = 0; c < count; c++) {
        columns.add(new IndexedColumn(string(in), string(in)));
        offsets[c] = at;
        lengths[c] = in.getInt();
        sums[c] = in.getInt();
        check(lengths[c] >= 0, "a section of a negative length");
        at += lengths[c];
      }
      check(at == status.getLen(), "it has another length than its header says");
      long bytes = 0;
      int ofFiles = count(in, Integer.BYTES + 2 * Long.BYTES);
      for (int f = 0; f < ofFiles; f++) {
        String path = string(in);
        bytes += path.length() + OF_FILE;
        files.add(new FileState(path, in.getLong(), in.getLong()));
      }
      int ranges = count(in, Integer.BYTES + 2 * Long.BYTES);
      fileOf = new int[ranges];
      starts = new long[ranges];
      ends = new long[ranges];
      for (int r = 0; r < ranges; r++) {
        fileOf[r] = in.getInt();
        starts[r] = in.getLong();
        ends[r] = in.getLong();
        check(fileOf[r] >= 0 && fileOf[r] < ofFiles, "a range of no file");
        check(starts[r] >= 0 && starts[r] <= ends[r], "a range that ends before it begins");
      }
      check(!in.hasRemaining(), "bytes after its header");
      headerBytes = bytes + OF_RANGE * ranges;
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      throw new Unusable(status, e.getMessage() == null ? "it ends early" : e.getMessage());
    }
  }

  /**
   * Reads the header of a sidecar, and the rest if it is small.
   *
   * @param status as the store lists it
   * @throws Unusable if it is none, or damaged
   * @throws IOException if it cannot be read
   */
  public static Sidecar open(FileSystem store, FileStatus status) throws IOException {
    try (FSDataInputStream in = store.open(status.getPath())) {
      byte[] begun = new byte[(int) Math.min(status.getLen(), AT_ONCE)];
      in.readFully(0, begun);
      if (begun.length < PREFIX) {
        throw new Unusable(status, "it is too short");
      }
      ByteBuffer prefix = ByteBuffer.wrap(begun);
      if (prefix.getInt() != SidecarWriter.MAGIC) {
        throw new Unusable(status, "it begins with other bytes");
      }
      int version = prefix.getInt();
      if (version != SidecarWriter.VERSION) {
        throw new Unusable(status, "its version is " + version);
      }
      int length = prefix.getInt();
      int sum = prefix.getInt();
      if (length < 0 || length > status.getLen() - PREFIX) {
        throw new Unusable(status, "its header is longer than the file");
      }
      byte[] header = new byte[length];
      if (PREFIX + (long) length <= begun.length) {
        System.arraycopy(begun, PREFIX, header, 0, length);
      } else {
        in.readFully(PREFIX, header);
      }
      if (SidecarWriter.sum(header) != sum) {
        throw new Unusable(status, "the checksum of its header is wrong");
      }
      boolean all = begun.length == status.getLen();
      return new Sidecar(store, status, all ? begun : null, header);
    }
  }

  /** All on which it depended how the values were read. */
  public String source() {
    return source;
  }

  public List<IndexedColumn> columns() {
    return columns;
  }

  public List<FileState> files() {
    return files;
  }

  /** How many ranges of files it has. */
  public int ranges() {
    return fileOf.length;
  }

  public FileState file(int range) {
    return files.get(fileOf[range]);
  }

  /** In bytes. */
  public long start(int range) {
    return starts[range];
  }

  /** In bytes. */
  public long end(int range) {
    return ends[range];
  }

  /** Bytes to read of a column; 0 if they have been read. */
  public synchronized long unread(int column) {
    return sections[column] == null ? lengths[column] : 0;
  }

  /** About how many bytes of heap it takes now. */
  public synchronized long bytes() {
    long bytes = headerBytes + (begun == null ? 0 : begun.length);
    for (Section section : sections) {
      bytes += section == null ? 0 : section.bytes.length + 4L * section.offsets.length;
    }
    return bytes;
  }

  /**
   * The values of a column in a range. Reads those of all ranges the first time.
   *
   * @throws Unusable if they are damaged
   */
  public ColumnKeys keys(int column, int range) throws IOException {
    Section section = section(column);
    int at = section.offsets[range];
    int flags = section.bytes[at];
    byte[] keys = null;
    if ((flags & SidecarWriter.HAS_KEYS) != 0) {
      keys = new byte[ByteBuffer.wrap(section.bytes).getInt(at + 1)];
      System.arraycopy(section.bytes, at + 1 + Integer.BYTES, keys, 0, keys.length);
    }
    return new ColumnKeys((flags & SidecarWriter.HAS_NULL) != 0, keys);
  }

  /** What a range has of a column, to be asked. */
  public RangeKeys known(int column, int range) throws IOException {
    ColumnKeys found = keys(column, range);
    if (found.keys() == null) {
      return new RangeKeys(found.hasNull(), null);
    }
    if (found.isEmpty()) {
      return RangeKeys.NO_ROWS;
    }
    Optional<KeyFilter> filter = KeyFilter.deserialize(found.keys());
    if (filter.isEmpty()) {
      throw new Unusable(status, "the keys of a column are damaged");
    }
    return new RangeKeys(found.hasNull(), filter.get());
  }

  /** A range with all that is known of it. */
  public RangeEntry entry(int range) throws IOException {
    List<ColumnKeys> all = new ArrayList<>();
    for (int c = 0; c < columns.size(); c++) {
      all.add(keys(c, range));
    }
    return new RangeEntry(file(range), starts[range], ends[range], all);
  }

  private synchronized Section section(int column) throws IOException {
    if (sections[column] == null) {
      sections[column] = parsed(bytesOf(column));
      boolean isLast = true;
      for (Section section : sections) {
        isLast &= section != null;
      }
      begun = isLast ? null : begun;
    }
    return sections[column];
  }

  private byte[] bytesOf(int column) throws IOException {
    byte[] bytes = new byte[lengths[column]];
    if (begun != null) {
      System.arraycopy(begun, (int) offsets[column], bytes, 0, bytes.length);
    } else {
      try (FSDataInputStream in = store.open(status.getPath())) {
        in.readFully(offsets[column], bytes);
      }
    }
    if (SidecarWriter.sum(bytes) != sums[column]) {
      throw new Unusable(
          status, "the checksum of column " + columns.get(column).name() + " is wrong");
    }
    return bytes;
  }

  private Section parsed(byte[] bytes) throws Unusable {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      int[] at = new int[ranges()];
      for (int r = 0; r < at.length; r++) {
        at[r] = in.position();
        if ((in.get() & SidecarWriter.HAS_KEYS) != 0) {
          int length = count(in, 1);
          in.position(in.position() + length);
        }
      }
      check(!in.hasRemaining(), "bytes after a section");
      return new Section(bytes, at);
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      throw new Unusable(status, e.getMessage() == null ? "it ends early" : e.getMessage());
    }
  }

  /** Reads a count of elements that take at least {@code width} bytes each. */
  private static int count(ByteBuffer in, int width) {
    int n = in.getInt();
    check(n >= 0 && n <= in.remaining() / width, "more elements than bytes");
    return n;
  }

  private static String string(ByteBuffer in) {
    byte[] bytes = new byte[count(in, 1)];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static void check(boolean right, String otherwise) {
    if (!right) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
