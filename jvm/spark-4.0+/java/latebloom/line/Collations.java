// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import org.apache.spark.sql.catalyst.util.CollationFactory;
import org.apache.spark.sql.catalyst.util.CollationSupport;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;

/** Equality and case mapping of strings, which depend on a type's collation from Spark 4.0 on. */
public final class Collations {
  private static final int BINARY = CollationFactory.UTF8_BINARY_COLLATION_ID;

  private Collations() {}

  /** Whether strings of the type are compared, ordered and searched by their bytes. */
  public static boolean isBinary(StringType type) {
    return type.collationId() == BINARY;
  }

  /** Whether equal strings of the type have the same bytes. */
  public static boolean hasBinaryEquality(StringType type) {
    return CollationFactory.fetchCollation(type.collationId()).supportsBinaryEquality;
  }

  /** Whether the bytes of a string are valid UTF-8. */
  public static boolean isValid(UTF8String text) {
    return text.isValid();
  }

  /**
   * Maps a binary-collated string to upper case.
   *
   * @param icu whether the session maps cases with ICU's rules, else with Java's
   */
  public static UTF8String upper(UTF8String text, boolean icu) {
    return CollationSupport.Upper.exec(text, BINARY, icu);
  }

  /**
   * Maps a binary-collated string to lower case.
   *
   * @param icu whether the session maps cases with ICU's rules, else with Java's
   */
  public static UTF8String lower(UTF8String text, boolean icu) {
    return CollationSupport.Lower.exec(text, BINARY, icu);
  }
}
