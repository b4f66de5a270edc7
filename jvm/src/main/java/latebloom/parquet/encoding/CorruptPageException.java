// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.encoding;

import org.apache.parquet.io.ParquetDecodingException;

/**
 * Reports that a page's bytes contradict themselves or the footer. Decoders throw it without a
 * place; the column adds that (see {@link ColumnPlace}).
 */
public final class CorruptPageException extends ParquetDecodingException {
  private static final long serialVersionUID = 1L;

  /** Whether the message names the place. */
  public final boolean placed;

  public CorruptPageException(String message) {
    super(message);
    this.placed = false;
  }

  public CorruptPageException(String message, Throwable cause) {
    this(message, cause, false);
  }

  public CorruptPageException(String message, Throwable cause, boolean placed) {
    super(message, cause);
    this.placed = placed;
  }
}
