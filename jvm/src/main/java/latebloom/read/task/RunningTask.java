// SPDX-License-Identifier: Apache-2.0
package latebloom.read.task;

import org.apache.spark.TaskContext;

/** The Spark task that this thread runs, if any. */
public final class RunningTask {
  private RunningTask() {}

  /**
   * Ends a task that was killed. Called between pages, and between blocks of rows in a page: a
   * selective scan may go through a whole row group before it has a batch to hand over, which is
   * when Spark would look.
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
