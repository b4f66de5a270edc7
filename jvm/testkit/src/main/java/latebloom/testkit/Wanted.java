// SPDX-License-Identifier: Apache-2.0
package latebloom.testkit;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A range of a vectored read, and the answer. */
record Wanted(long offset, int length, CompletableFuture<ByteBuffer> data) {}
