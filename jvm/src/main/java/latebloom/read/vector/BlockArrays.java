// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

/**
 * The working arrays of flat columns, for a block of rows at a time: one set for all columns of a
 * split, which one thread reads one after another. No content outlives a call to a column, so a
 * thousand columns need no more arrays than one.
 */
public final class BlockArrays {
  /** Most rows of a block: fits the first-level cache, and makes the cost of calls negligible. */
  public static final int BLOCK = 1024;

  public final int[] rows = new int[BLOCK];

  /** Indexes of a block's values among those of its page or section. */
  public final int[] indexes = new int[BLOCK];

  /** Rows of a block that are not null. */
  public final int[] validRows = new int[BLOCK];

  /** Indexes of a block's values that pass. */
  public final int[] passing = new int[BLOCK];

  public final int[] codes = new int[BLOCK];
  public final long[] values = new long[BLOCK];

  /** Offsets of byte strings. */
  public final int[] offsets = new int[BLOCK];

  public final int[] lengths = new int[BLOCK];

  /** The buffers of a sink that receives values in the arrays above. */
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
