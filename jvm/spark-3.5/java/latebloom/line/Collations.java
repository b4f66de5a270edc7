// SPDX-License-Identifier: Apache-2.0
package latebloom.line;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;

/** Which texts are equal, and their cases: from Spark 4.0 on as the collation of a type says. */
public final class Collations {
  private Collations() {}

  /** All texts of this line are compared, ordered and searched by their bytes. */
  public static boolean isBinary(StringType type) {
    return true;
  }

  /** Equal texts of this line have the same bytes. */
  public static boolean hasBinaryEquality(StringType type) {
    return true;
  }

  /** Whether the bytes of a text are UTF-8. */
  public static boolean isValid(UTF8String text) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(text.getByteBuffer());
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  /**
   * @param icu false: this line maps cases as Java does
   */
  public static UTF8String upper(UTF8String text, boolean icu) {
    return text.toUpperCase();
  }

  /**
   * @param icu false: this line maps cases as Java does
   */
  public static UTF8String lower(UTF8String text, boolean icu) {
    return text.toLowerCase();
  }
}
