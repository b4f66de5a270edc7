// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.encoding;

import org.apache.orc.OrcProto.Stream.Kind;

/**
 * The bytes of a stream contradict themselves or the footer. Thrown by the decoders; where in the
 * file that is {@link StripePlace} adds.
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
