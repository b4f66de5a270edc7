// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.page;

import latebloom.parquet.encoding.CorruptPageException;

/** Where in a file a column chunk lies; what error messages name. */
public record ColumnPlace(String file, int rowGroup, String column) {

  /** {@code cause} with its place, if it has none yet; page -1 is the dictionary page. */
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
