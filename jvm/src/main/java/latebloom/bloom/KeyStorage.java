// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.function.LongConsumer;

/** What holds the keys that a {@link KeyCollector} gathers. */
sealed interface KeyStorage
    permits LongKeySet, ByteKeySet, KeyBitmap, BlockedBloomFilter, KeyStorage.TooManyKeys {

  /** Memory that the keys take, in bytes. */
  long memory();

  /** Hands over the hash of each key; of a storage that still knows its keys. */
  void forEachHash(KeyDomain domain, LongConsumer action);

  /** Writes which storage this is, then the keys. */
  void write(KeyOutput out);

  /** What {@link #write} wrote. */
  static KeyStorage read(KeyInput in) {
    return switch (in.readByte()) {
      case LongKeySet.CODE -> LongKeySet.of(in.readKeys());
      case ByteKeySet.CODE -> in.readStrings();
      case KeyBitmap.CODE -> in.readBitmap();
      case BlockedBloomFilter.CODE -> in.readBloom();
      default -> TooManyKeys.INSTANCE;
    };
  }

  /** Holds no key, since there are too many for a filter. */
  enum TooManyKeys implements KeyStorage {
    INSTANCE;

    private static final int CODE = 4;

    @Override
    public long memory() {
      return 0;
    }

    @Override
    public void forEachHash(KeyDomain domain, LongConsumer action) {
      throw new IllegalStateException("keys that were let go of have no hashes");
    }

    @Override
    public void write(KeyOutput out) {
      out.writeByte(CODE);
    }
  }
}
