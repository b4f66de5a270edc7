// SPDX-License-Identifier: Apache-2.0
package latebloom.read.io;

import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.HashMap;
import java.util.Map;
import latebloom.read.task.RecentlyUsed;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Tells whether files are still as they were listed, before anything is used that was remembered of
 * them. Asks the store for the first file of a directory, and for all files of the directory from
 * the second on: once in a process for each run, since files may change between two runs.
 *
 * <p>A file is the same if its length and modification time are. A store may not tell apart two
 * states of a file within its clock's tick: only what was read of a file that had rested for {@link
 * #SETTLED_MILLIS} may be remembered.
 */
public final class UnchangedFiles {
  /** The coarsest clock of a store in use ticks every two seconds; clocks differ. */
  public static final long SETTLED_MILLIS = 5000;

  private static final int DIRECTORIES = 256;

  /** Softly, since a directory may have very many files. */
  private static final Map<Key, SoftReference<Directory>> KNOWN = RecentlyUsed.map(DIRECTORIES);

  private record Key(String run, Path directory) {}

  private record State(long length, long modified) {
    State(FileStatus file) {
      this(file.getLen(), file.getModificationTime());
    }
  }

  private static final class Directory {
    private final Map<String, State> files = new HashMap<>();
    private boolean asked;
    private boolean listed;

    synchronized State state(Path file, FileSystem store) throws IOException {
      State known = files.get(file.getName());
      if (known != null || listed) {
        return known;
      }
      if (!asked) {
        asked = true;
        files.put(file.getName(), new State(store.getFileStatus(file)));
      } else {
        // Once, also if the store refuses it.
        listed = true;
        for (FileStatus f : store.listStatus(file.getParent())) {
          files.putIfAbsent(f.getPath().getName(), new State(f));
        }
      }
      return files.get(file.getName());
    }
  }

  private UnchangedFiles() {}

  /** Whether a file that was modified at this time had rested by now. */
  public static boolean isSettled(long modified) {
    return modified > 0 && System.currentTimeMillis() - modified >= SETTLED_MILLIS;
  }

  /**
   * Whether the store has the file with this length and modification time; false if it does not
   * say.
   *
   * @param run the scan, and the time that it runs
   */
  public static boolean isUnchanged(
      String run, Path file, long length, long modified, Configuration conf) {
    try {
      State now = directory(new Key(run, file.getParent())).state(file, file.getFileSystem(conf));
      return now != null && now.equals(new State(length, modified));
    } catch (IOException | RuntimeException e) {
      // Stores report what they refuse, or cannot do, in either way.
      return false;
    }
  }

  private static Directory directory(Key key) {
    synchronized (KNOWN) {
      SoftReference<Directory> known = KNOWN.get(key);
      Directory directory = known == null ? null : known.get();
      if (directory == null) {
        directory = new Directory();
        KNOWN.put(key, new SoftReference<>(directory));
      }
      return directory;
    }
  }
}
