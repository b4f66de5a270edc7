// SPDX-License-Identifier: Apache-2.0
package latebloom.read.task;

import java.io.Closeable;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * What the scan of one file holds of the heap, told to Spark's memory manager as execution memory
 * of the task. Made on the task's thread; outside a task nothing is told.
 *
 * <p>Nobody may fail, spill or wait for what is told here and, by Spark's own readers, is not. So
 * taken is what is free and no more, up to what Spark grants every task in any case; and operators
 * of the task that ask for it get it back at once. What is needed and not taken is held all the
 * same, untold; what can be done without is asked for first, and done without.
 */
public final class ScanMemory implements Closeable {
  /** Where less is free, nothing is taken. */
  private static final long LITTLE = 1 << 20;

  private final MemoryManager manager; // null outside a task
  private final TaskContext context; // null outside a task
  private final Counters counters;
  private long held;
  private long lasting;
  private long ahead;
  private long acquired;
  private boolean closed;
  private Share share;

  /**
   * @param counters learn the peak
   */
  public ScanMemory(Counters counters) {
    TaskContext context = TaskContext.get();
    SparkEnv env = SparkEnv.get();
    boolean inTask = context != null && env != null;
    this.manager = inTask ? env.memoryManager() : null;
    this.context = inTask ? context : null;
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

  /** So many of {@code bytes} as are free and may be taken. */
  private long acquire(long bytes) {
    if (manager == null || closed || bytes <= 0 || !isKnown()) {
      return 0;
    }
    // The manager's own lock: what is free stays so until it is taken.
    synchronized (manager) {
      long most = Math.min(bytes, Math.min(free(), guaranteed() - acquired));
      return most <= 0
          ? 0
          : manager.acquireExecutionMemory(most, context.taskAttemptId(), MemoryMode.ON_HEAP);
    }
  }

  private long free() {
    return manager.onHeapExecutionMemoryPool().memoryFree();
  }

  /** What Spark grants a task before any other gets more, when all cores have one. */
  private long guaranteed() {
    long all = manager.maxOnHeapStorageMemory() + manager.onHeapExecutionMemoryPool().memoryUsed();
    return all / (2L * Runtime.getRuntime().availableProcessors());
  }

  /** Whether operators of the task can ask for what is taken. They know whoever once got a byte. */
  private boolean isKnown() {
    if (share == null && free() >= LITTLE) {
      Share fresh = new Share(context.taskMemoryManager());
      release(fresh.acquireMemory(1));
      share = fresh;
    }
    return share != null;
  }

  private synchronized long giveBack(long most) {
    long bytes = Math.min(most, acquired);
    release(bytes);
    acquired -= bytes;
    return bytes;
  }

  private synchronized long acquired() {
    return acquired;
  }

  /** What operators see of this. */
  private final class Share extends MemoryConsumer {
    Share(TaskMemoryManager memory) {
      super(memory, MemoryMode.ON_HEAP);
    }

    @Override
    public long getUsed() {
      return acquired();
    }

    @Override
    public long spill(long size, MemoryConsumer trigger) {
      return trigger == this ? 0 : giveBack(size);
    }
  }

  private void release(long bytes) {
    if (bytes > 0) {
      manager.releaseExecutionMemory(bytes, context.taskAttemptId(), MemoryMode.ON_HEAP);
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
