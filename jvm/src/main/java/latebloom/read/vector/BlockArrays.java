// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

/**
 * What flat columns work in, a block of rows at a time: one set of arrays for all columns of a
 * split, which are read one after another on one thread. Nothing in them outlives a call of a
 * column, so that a thousand columns need no more of them than one.
 */
public final class BlockArrays {
  /** Most rows of a block: few enough for the first-level cache, so many that calls don't count. */
  public static final int BLOCK = 1024;

  public final int[] rows = new int[BLOCK];

  /** Which of a page's or section's values are a block's. */
  public final int[] indexes = new int[BLOCK];

  /** Rows of a block that are not null. */
  public final int[] validRows = new int[BLOCK];

  /** Which of a block's values pass. */
  public final int[] passing = new int[BLOCK];

  public final int[] codes = new int[BLOCK];
  public final long[] values = new long[BLOCK];

  /** Where byte strings begin. */
  public final int[] offsets = new int[BLOCK];

  public final int[] lengths = new int[BLOCK];

  /** What a sink makes of values that were handed to it in the arrays above. */
  final Sink sink = new Sink();

  static final class Sink {
    final int[] ints = new int[BLOCK];
    final byte[] bytes = new byte[BLOCK];
    final short[] shorts = new short[BLOCK];
    final float[] floats = new float[BLOCK];
    final double[] doubles = new double[BLOCK];
    final long[] looked = new long[BLOCK];
    final int[] offsets = new int[BLOCK];
    final int[] lengths = new int[BLOCK];
  }
}
