// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import java.io.EOFException;
import java.io.IOException;
import latebloom.orc.encoding.CorruptStreamException;
import latebloom.read.predicate.FailedCondition;
import org.apache.spark.SparkThrowable;
import org.apache.spark.TaskKilledException;

/**
 * A place in a stripe of a file, and the border at which faulty bytes become errors that name it.
 * {@link #read} runs all code that reads a stripe, so that decoders, ours and orc-core's, need not
 * foresee how damaged bytes make them fail.
 */
public record StripePlace(String file, int stripe) {

  /** Reads bytes of a stripe. */
  @FunctionalInterface
  public interface Reading<T> {
    T run() throws IOException;
  }

  /**
   * Runs {@code reading}. Attributes its unchecked exceptions to the bytes, unless the task was
   * killed or the error is Spark's or a query condition's, and likewise an early end of the file.
   * Other checked exceptions come from the file's store, or name their place already; errors, as of
   * memory, come from the JVM.
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
