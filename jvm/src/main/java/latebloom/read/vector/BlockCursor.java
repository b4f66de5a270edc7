// SPDX-License-Identifier: Apache-2.0
package latebloom.read.vector;

/** Reads a flat column a block of rows at a time, in arrays that all such cursors share. */
public abstract class BlockCursor {
  /** Most rows of a block. */
  protected static final int BLOCK = BlockArrays.BLOCK;

  protected final int[] rows;
  protected final int[] indexes;
  protected final int[] validRows;
  protected final int[] passing;
  protected final int[] codes;
  protected final long[] values;
  protected final int[] offsets;
  protected final int[] lengths;

  protected BlockCursor(BlockArrays blocks) {
    this.rows = blocks.rows;
    this.indexes = blocks.indexes;
    this.validRows = blocks.validRows;
    this.passing = blocks.passing;
    this.codes = blocks.codes;
    this.values = blocks.values;
    this.offsets = blocks.offsets;
    this.lengths = blocks.lengths;
  }
}
