// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import java.io.IOException;

/** The bytes of a stripe contradict themselves or the file's tail; says where. */
public final class CorruptStripeException extends IOException {
  private static final long serialVersionUID = 1L;

  CorruptStripeException(String message, Throwable cause) {
    super(message, cause);
  }
}
