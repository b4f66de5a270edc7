// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;

/** Equality and case mapping of strings, which depend on a type's collation from Spark 4.0 on. */
public final class Collations {
  private Collations() {}

  /** Whether strings of the type are compared, ordered and searched by their bytes: always here. */
  public static boolean isBinary(StringType type) {
    return true;
  }

  /** Whether equal strings of the type have the same bytes: always in this line. */
  public static boolean hasBinaryEquality(StringType type) {
    return true;
  }

  /** Whether the bytes of a string are valid UTF-8. */
  public static boolean isValid(UTF8String text) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(text.getByteBuffer());
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  /**
   * Maps a string to upper case.
   *
   * @param icu always false: this line maps cases with Java's rules
   */
  public static UTF8String upper(UTF8String text, boolean icu) {
    return text.toUpperCase();
  }

  /**
   * Maps a string to lower case.
   *
   * @param icu always false: this line maps cases with Java's rules
   */
  public static UTF8String lower(UTF8String text, boolean icu) {
    return text.toLowerCase();
  }
}
