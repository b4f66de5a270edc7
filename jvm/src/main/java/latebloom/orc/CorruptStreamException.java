// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

/**
 * The bytes of a stream contradict themselves or the footer. Thrown bare by the decoders; the column
 * adds where it happened (see {@link StripeColumn#corrupt}).
 */
final class CorruptStreamException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CorruptStreamException(String message) {
    super(message);
  }

  CorruptStreamException(String message, Throwable cause) {
    super(message, cause);
  }
}
