// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import java.io.IOException;

/** Reports that a stripe's bytes contradict themselves or the file's tail, and where. */
public final class CorruptStripeException extends IOException {
  private static final long serialVersionUID = 1L;

  CorruptStripeException(String message, Throwable cause) {
    super(message, cause);
  }
}
