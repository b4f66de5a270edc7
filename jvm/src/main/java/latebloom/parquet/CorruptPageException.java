// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import org.apache.parquet.io.ParquetDecodingException;

/**
 * The bytes of a page contradict themselves or the footer. Thrown bare by the decoders; the column
 * adds where it happened (see {@link ColumnPlace}).
 */
final class CorruptPageException extends ParquetDecodingException {
  private static final long serialVersionUID = 1L;

  /** Whether the message says where. */
  final boolean placed;

  CorruptPageException(String message) {
    super(message);
    this.placed = false;
  }

  CorruptPageException(String message, Throwable cause) {
    this(message, cause, false);
  }

  CorruptPageException(String message, Throwable cause, boolean placed) {
    super(message, cause);
    this.placed = placed;
  }
}
