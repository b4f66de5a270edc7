// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import org.apache.orc.OrcProto.Stream.Kind;

/**
 * The bytes of a stream contradict themselves or the footer. Thrown by the decoders; where in the
 * file that is {@link StripePlace} adds.
 */
final class CorruptStreamException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CorruptStreamException(String message) {
    super(message);
  }

  CorruptStreamException(String message, Throwable cause) {
    super(message, cause);
  }

  CorruptStreamException(Kind stream, String message, Throwable cause) {
    super("stream " + stream + ": " + message, cause);
  }
}
