// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.lang.ref.SoftReference;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * Caches what has been parsed of the metadata of files, for all scans of a process: footers with
 * their page indexes, tails with their stripe footers and row indexes. The least recently used are
 * evicted first, all of them before memory runs out. Thread safe.
 *
 * <p>A file has an identity, see {@link UnchangedFiles}: who uses something that another task has
 * put here asks first whether the file is still the same.
 */
public final class MetadataCache {
  private static final LinkedHashMap<Key, Entry> ENTRIES = new LinkedHashMap<>(16, 0.75f, true);

  private static long limit = Long.MAX_VALUE;
  private static long bytes;
  private static long hits;
  private static long misses;

  /** Metadata of one file. */
  public interface Metadata {
    /** About how many bytes of heap it takes; it may grow. */
    long bytes();
  }

  /**
   * A file in one state.
   *
   * @param run the only run of a scan that may use it; empty if all may
   */
  public record Key(String run, Path path, long length, long modified) {

    /**
     * @param run of the scan
     * @param acrossRuns whether other runs may use what is cached, if the file has rested
     */
    public static Key of(String run, FileStatus file, boolean acrossRuns) {
      boolean all = acrossRuns && UnchangedFiles.isSettled(file.getModificationTime());
      return new Key(all ? "" : run, file.getPath(), file.getLen(), file.getModificationTime());
    }

    /** Whether other runs may use it. */
    public boolean isForAll() {
      return run.isEmpty();
    }
  }

  private static final class Entry {
    private final SoftReference<Metadata> metadata;
    private long size;

    Entry(Metadata metadata) {
      this.metadata = new SoftReference<>(metadata);
    }
  }

  /**
   * What is cached now, and how often it was there when it was asked for.
   *
   * @param bytes of heap, about
   */
  public record Totals(int files, long bytes, long hits, long misses) {}

  private MetadataCache() {}

  /** Whether metadata of a file are cached. */
  public static synchronized boolean has(Key key) {
    Entry entry = ENTRIES.get(key);
    return entry != null && entry.metadata.get() != null;
  }

  /** The metadata of a file; null if they are not cached. */
  public static synchronized <M extends Metadata> M get(Key key, Class<M> type) {
    Entry entry = ENTRIES.get(key);
    Metadata known = entry == null ? null : entry.metadata.get();
    if (entry != null) {
      measure(entry);
      evict();
    }
    hits += known == null ? 0 : 1;
    misses += known == null ? 1 : 0;
    return type.cast(known);
  }

  /**
   * Caches metadata, and evicts others beyond a limit.
   *
   * @param maxBytes for all metadata from now on
   */
  public static synchronized void put(Key key, Metadata metadata, long maxBytes) {
    limit = maxBytes;
    Entry old = ENTRIES.put(key, new Entry(metadata));
    bytes -= old == null ? 0 : old.size;
    measure(ENTRIES.get(key));
    evict();
  }

  private static void measure(Entry entry) {
    Metadata known = entry.metadata.get();
    long now = known == null ? 0 : known.bytes();
    bytes += now - entry.size;
    entry.size = now;
  }

  private static void evict() {
    Iterator<Map.Entry<Key, Entry>> eldest = ENTRIES.entrySet().iterator();
    while (bytes > limit && eldest.hasNext()) {
      bytes -= eldest.next().getValue().size;
      eldest.remove();
    }
  }

  public static synchronized Totals totals() {
    return new Totals(ENTRIES.size(), bytes, hits, misses);
  }

  /** Forgets all, and begins to count anew. */
  public static synchronized void clear() {
    ENTRIES.clear();
    bytes = 0;
    hits = 0;
    misses = 0;
  }
}
