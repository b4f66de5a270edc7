// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import java.io.EOFException;
import java.io.IOException;
import latebloom.orc.encoding.CorruptStreamException;
import latebloom.read.predicate.FailedCondition;
import org.apache.spark.SparkThrowable;
import org.apache.spark.TaskKilledException;

/**
 * Where in a file something of a stripe lies, and the border at which faults of its bytes become
 * errors that name the place. Whatever reads a stripe is run by {@link #read}: decoders, ours and
 * orc-core's, need not foresee how damaged bytes make them fail.
 */
public record StripePlace(String file, int stripe) {

  /** What reads bytes of a stripe. */
  @FunctionalInterface
  public interface Reading<T> {
    T run() throws IOException;
  }

  /**
   * Runs {@code reading}. What it throws unchecked is a fault of the bytes, unless the task was
   * killed or it is an error of Spark's or of a condition of the query; and so is the end of the
   * file before what is to be read of it. Other checked exceptions are of the file's store, or have
   * their place already; errors, as of memory, are of the JVM.
   *
   * @param part of the stripe, for messages
   */
  public <T> T read(String part, Reading<T> reading) throws IOException {
    try {
      return reading.run();
    } catch (TaskKilledException | FailedCondition e) {
      throw e;
    } catch (EOFException e) {
      throw corrupt(part, e);
    } catch (RuntimeException e) {
      if (e instanceof SparkThrowable) {
        throw e;
      }
      throw corrupt(part, e);
    }
  }

  private CorruptStripeException corrupt(String part, Throwable cause) {
    String what =
        cause instanceof CorruptStreamException || cause.getMessage() == null
            ? String.valueOf(cause.getMessage())
            : cause.getClass().getSimpleName() + ": " + cause.getMessage();
    return new CorruptStripeException(
        "corrupt ORC file "
            + file
            + ": stripe "
            + stripe
            + ", "
            + part
            + ": "
            + what
            + ". Write the file again, or set spark.sql.files.ignoreCorruptFiles=true to skip such"
            + " files.",
        cause);
  }
}
