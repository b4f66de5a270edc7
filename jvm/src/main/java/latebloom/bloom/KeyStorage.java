// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.function.LongConsumer;

/** Stores the keys that a {@link KeyCollector} gathers. */
sealed interface KeyStorage
    permits LongKeySet, ByteKeySet, KeyBitmap, BlockedBloomFilter, KeyStorage.TooManyKeys {

  /** Memory of the keys, in bytes. */
  long memory();

  /** Visits the hash of each key; only for a storage that still has its keys. */
  void forEachHash(KeyDomain domain, LongConsumer action);

  /** Writes the kind of storage, then the keys. */
  void write(KeyOutput out);

  /** Reads the format of {@link #write}. */
  static KeyStorage read(KeyInput in) {
    return switch (in.readByte()) {
      case LongKeySet.CODE -> LongKeySet.of(in.readKeys());
      case ByteKeySet.CODE -> in.readStrings();
      case KeyBitmap.CODE -> in.readBitmap();
      case BlockedBloomFilter.CODE -> in.readBloom();
      default -> TooManyKeys.INSTANCE;
    };
  }

  /** Stores no key, since there are too many for a filter. */
  enum TooManyKeys implements KeyStorage {
    INSTANCE;

    private static final int CODE = 4;

    @Override
    public long memory() {
      return 0;
    }

    @Override
    public void forEachHash(KeyDomain domain, LongConsumer action) {
      throw new IllegalStateException("dropped keys have no hashes");
    }

    @Override
    public void write(KeyOutput out) {
      out.writeByte(CODE);
    }
  }
}
