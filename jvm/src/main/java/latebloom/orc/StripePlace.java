// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

/** Where in a file something of a stripe lies; what error messages name. */
record StripePlace(String file, int stripe) {

  CorruptStripeException corrupt(String what) {
    return new CorruptStripeException(message(what));
  }

  /** {@code cause} with its place. */
  CorruptStripeException corrupt(String part, Throwable cause) {
    String what = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    return new CorruptStripeException(message(part + ": " + what), cause);
  }

  private String message(String what) {
    return "corrupt ORC file " + file + ": stripe " + stripe + ", " + what
        + ". Write the file again, or set spark.sql.files.ignoreCorruptFiles=true to skip such files.";
  }
}
