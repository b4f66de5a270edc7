// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page;

import latebloom.parquet.encoding.CorruptPageException;

/** The place of a column chunk in a file, as error messages name it. */
public record ColumnPlace(String file, int rowGroup, String column) {

  /** {@code cause} with its place, unless it has one; page -1 is the dictionary page. */
  public CorruptPageException corrupt(int page, Throwable cause) {
    if (cause instanceof CorruptPageException known && known.placed) {
      return known;
    }
    String which = page < 0 ? "dictionary page" : "page " + page;
    String what =
        cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    return new CorruptPageException(
        "corrupt Parquet file "
            + file
            + ": row group "
            + rowGroup
            + ", column "
            + column
            + ", "
            + which
            + ": "
            + what
            + ". Write the file again, or set spark.sql.files.ignoreCorruptFiles=true to skip"
            + " such files.",
        cause,
        true);
  }
}
