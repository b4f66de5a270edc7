// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import org.apache.parquet.io.ParquetDecodingException;

/**
 * The bytes of a page contradict themselves or the footer. Thrown bare by the decoders; the column
 * adds where it happened (see {@link ColumnPlace}).
 */
final class CorruptPageException extends ParquetDecodingException {
  private static final long serialVersionUID = 1L;

  CorruptPageException(String message) {
    super(message);
  }

  CorruptPageException(String message, Throwable cause) {
    super(message, cause);
  }
}
