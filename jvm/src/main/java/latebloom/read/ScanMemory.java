// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import java.io.Closeable;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;

/**
 * What the scan of one file holds of the heap, told to Spark's memory manager as execution memory of
 * the task. Made on the task's thread; outside a task nothing is told.
 *
 * <p>Taken is what is free, and no more. A {@code MemoryConsumer} that asks for more has operators of
 * the task spill, waits for other tasks, evicts cached blocks or leaves none for new ones, all of which
 * costs more than a scan may. So what is needed and not free is held all the same, untold, as Spark's
 * own readers hold all that they read; what can be done without is asked for first, and done without.
 */
public final class ScanMemory implements Closeable {
  private final MemoryManager manager; // null outside a task
  private final long task;
  private final Counters counters;
  private long held;
  private long lasting;
  private long ahead;
  private long acquired;
  private boolean closed;

  /**
   * @param counters learn the peak
   */
  public ScanMemory(Counters counters) {
    TaskContext context = TaskContext.get();
    SparkEnv env = SparkEnv.get();
    boolean inTask = context != null && env != null;
    this.manager = inTask ? env.memoryManager() : null;
    this.task = inTask ? context.taskAttemptId() : -1;
    this.counters = counters;
  }

  /** Notes bytes that the row group needs, before they are allocated. */
  public synchronized void hold(long bytes) {
    held += bytes;
    acquired += acquire(held - acquired);
    counters.atLeast(Counter.PEAK_MEMORY, held);
  }

  /** As {@link #hold}, of what stays when the row group is let go of. */
  public synchronized void holdToEnd(long bytes) {
    lasting += bytes;
    hold(bytes);
  }

  /** Notes bytes that the row group can do without, if they are free; false if not. */
  public synchronized boolean tryHold(long bytes) {
    if (isShort()) {
      return false;
    }
    long granted = acquire(bytes);
    if (manager != null && granted < bytes) {
      release(granted);
      return false;
    }
    held += bytes;
    acquired += granted;
    counters.atLeast(Counter.PEAK_MEMORY, held);
    return true;
  }

  /** As {@link #tryHold}, for the row group that comes next. */
  public synchronized boolean tryHoldAhead(long bytes) {
    boolean holds = tryHold(bytes);
    ahead += holds ? bytes : 0;
    return holds;
  }

  /** Notes that the row group is let go of, with all that was held for it. */
  public synchronized void releaseRowGroup() {
    held = lasting + ahead;
    ahead = 0;
    if (acquired > held) {
      release(acquired - held);
      acquired = held;
    }
  }

  /** Whether more is held than was free. */
  public synchronized boolean isShort() {
    return manager != null && acquired < held;
  }

  /** So many of {@code bytes} as are free. */
  private long acquire(long bytes) {
    if (manager == null || closed || bytes <= 0) {
      return 0;
    }
    // The manager's own lock: what is free stays so until it is taken.
    synchronized (manager) {
      long most = Math.min(bytes, manager.onHeapExecutionMemoryPool().memoryFree());
      return most <= 0 ? 0 : manager.acquireExecutionMemory(most, task, MemoryMode.ON_HEAP);
    }
  }

  private void release(long bytes) {
    if (bytes > 0) {
      manager.releaseExecutionMemory(bytes, task, MemoryMode.ON_HEAP);
    }
  }

  /** Lets go of everything; what is noted afterwards is not told. */
  @Override
  public synchronized void close() {
    closed = true;
    release(acquired);
    acquired = 0;
    held = 0;
    lasting = 0;
    ahead = 0;
  }
}
