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
 * Accounts for the heap that the scan of one file holds, as execution memory of the task in Spark's
 * memory manager. Created on the task's thread; outside a task it reports nothing.
 *
 * <p>Spark's own readers do not report their memory, so reporting it here must make no operator
 * fail, spill or wait. The scan therefore reserves only free memory, up to what Spark grants every
 * task anyway, and returns it at once to operators of the task that ask for it. Memory that the
 * scan needs but cannot reserve is used without being reported; memory that it can do without is
 * used only if reserved first.
 */
public final class ScanMemory implements Closeable {
  /** If less is free, the scan reserves nothing. */
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
   * @param counters record the peak
   */
  public ScanMemory(Counters counters) {
    TaskContext context = TaskContext.get();
    SparkEnv env = SparkEnv.get();
    boolean inTask = context != null && env != null;
    this.manager = inTask ? env.memoryManager() : null;
    this.context = inTask ? context : null;
    this.counters = counters;
  }

  /** Records bytes that the row group needs, before their allocation. */
  public synchronized void hold(long bytes) {
    held += bytes;
    acquired += acquire(held - acquired);
    counters.atLeast(Counter.PEAK_MEMORY, held);
  }

  /** As {@link #hold}, for memory that outlives the row group. */
  public synchronized void holdToEnd(long bytes) {
    lasting += bytes;
    hold(bytes);
  }

  /** Reserves bytes that the row group can do without; false if they are not free. */
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

  /** As {@link #tryHold}, for the next row group. */
  public synchronized boolean tryHoldAhead(long bytes) {
    boolean holds = tryHold(bytes);
    ahead += holds ? bytes : 0;
    return holds;
  }

  /** Releases all memory that was held for the row group. */
  public synchronized void releaseRowGroup() {
    held = lasting + ahead;
    ahead = 0;
    if (acquired > held) {
      release(acquired - held);
      acquired = held;
    }
  }

  /** Whether the scan holds more than was free. */
  public synchronized boolean isShort() {
    return manager != null && acquired < held;
  }

  /** Reserves as many of {@code bytes} as are free and allowed. */
  private long acquire(long bytes) {
    if (manager == null || closed || bytes <= 0 || !isKnown()) {
      return 0;
    }
    // The manager's own lock keeps free memory free until it is reserved.
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

  /** The memory that Spark grants each task when all cores run one. */
  private long guaranteed() {
    long all = manager.maxOnHeapStorageMemory() + manager.onHeapExecutionMemoryPool().memoryUsed();
    return all / (2L * Runtime.getRuntime().availableProcessors());
  }

  /**
   * Whether operators of the task can reclaim the memory: they know consumers that once got a byte.
   */
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

  /** The consumer that operators of the task see. */
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

  /** Releases everything; later records are not reported. */
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
