// SPDX-License-Identifier: Apache-2.0
package latebloom.read.task;

import org.apache.spark.TaskContext;

/** The Spark task that this thread runs, if any. */
public final class RunningTask {
  private RunningTask() {}

  /**
   * Ends a killed task. Readers call it between pages, and between blocks of rows in a page: a
   * selective scan may read a whole row group before it outputs a batch, which is when Spark checks
   * for a kill.
   *
   * @throws org.apache.spark.TaskKilledException if the task was killed
   */
  public static void checkNotKilled() {
    TaskContext task = TaskContext.get();
    if (task != null) {
      task.killTaskIfInterrupted();
    }
  }
}
