// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.spark.sql.catalyst.util.CollationFactory;
import org.apache.spark.sql.catalyst.util.CollationSupport;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;

/** Which texts are equal, and their cases: from Spark 4.0 on as the collation of a type says. */
public final class Collations {
  private static final int BINARY = CollationFactory.UTF8_BINARY_COLLATION_ID;

  private Collations() {}

  /** Whether texts of the type are compared, ordered and searched by their bytes. */
  public static boolean isBinary(StringType type) {
    return type.collationId() == BINARY;
  }

  /** Whether equal texts of the type have the same bytes. */
  public static boolean hasBinaryEquality(StringType type) {
    return CollationFactory.fetchCollation(type.collationId()).supportsBinaryEquality;
  }

  /** Whether the bytes of a text are UTF-8. */
  public static boolean isValid(UTF8String text) {
    return text.isValid();
  }

  /**
   * @param icu whether the session maps cases as ICU does
   */
  public static UTF8String upper(UTF8String text, boolean icu) {
    return CollationSupport.Upper.exec(text, BINARY, icu);
  }

  /**
   * @param icu whether the session maps cases as ICU does
   */
  public static UTF8String lower(UTF8String text, boolean icu) {
    return CollationSupport.Lower.exec(text, BINARY, icu);
  }
}
