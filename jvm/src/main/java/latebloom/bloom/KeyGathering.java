// SPDX-License-Identifier: Apache-2.0
package latebloom.bloom;

import java.util.Optional;

/** Keys of one side of a join while they are gathered, by a task or over all tasks. */
public sealed interface KeyGathering permits KeyCollector, CompoundCollector, RangeCollector {

  /** Whether there are too many keys for a filter. */
  boolean overflowed();

  /** Adds all keys of another of the same kind, which must not be used again. */
  void merge(KeyGathering that);

  /** The filter of all keys; empty after an overflow. */
  Optional<KeyFilter> finish();

  /** The bytes from which another task or the driver can {@link #deserialize} the keys. */
  byte[] serialize();

  /**
   * Reads the bytes of {@link #serialize}.
   *
   * @throws IllegalArgumentException or another unchecked exception for any other bytes
   */
  static KeyGathering deserialize(byte[] bytes) {
    return switch (KeyInput.magic(bytes)) {
      case CompoundCollector.MAGIC -> CompoundCollector.deserialize(bytes);
      case RangeCollector.MAGIC -> RangeCollector.deserialize(bytes);
      default -> KeyCollector.deserialize(bytes);
    };
  }
}
