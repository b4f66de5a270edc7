// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import org.apache.orc.OrcProto.Stream.Kind;

/**
 * Reports that a stream's bytes contradict themselves or the footer. Decoders throw it; {@link
 * StripePlace} adds the place in the file.
 */
public final class CorruptStreamException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CorruptStreamException(String message) {
    super(message);
  }

  public CorruptStreamException(String message, Throwable cause) {
    super(message, cause);
  }

  public CorruptStreamException(Kind stream, String message, Throwable cause) {
    super("stream " + stream + ": " + message, cause);
  }
}
