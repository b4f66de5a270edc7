// SPDX-License-Identifier: Apache-2.0
package latebloom.read;

import latebloom.read.predicate.CodeMask;
import latebloom.read.predicate.DictionaryEntries;
import latebloom.read.predicate.PredicateCursor;
import latebloom.read.selection.Selection;
import latebloom.read.vector.BlockArrays;
import latebloom.read.vector.BlockCursor;
import latebloom.read.vector.OutputColumn;
import latebloom.read.vector.ValueSink;

/**
 * Reads the entries of a dictionary as rows, in the order of their codes, and a null after them.
 */
public final class DictionaryCursor extends BlockCursor implements ColumnCursor {
  private final DictionaryEntries entries;
  private final boolean hasNull;
  private final ValueSink sink;
  private final Writer writer;

  /** Writes the entries of codes to the sink. */
  @FunctionalInterface
  public interface Writer {
    void write(int[] codes, int n);
  }

  /**
   * @param hasNull whether the last row is a null
   * @param writer to {@code sink}, at most {@link BlockArrays#BLOCK} codes at once
   */
  public DictionaryCursor(
      DictionaryEntries entries,
      boolean hasNull,
      ValueSink sink,
      Writer writer,
      BlockArrays blocks) {
    super(blocks);
    this.entries = entries;
    this.hasNull = hasNull;
    this.sink = sink;
    this.writer = writer;
  }

  private int size() {
    return entries.size() + (hasNull ? 1 : 0);
  }

  /** All rows; null without any. */
  public DistinctRows.Values all() {
    return size() == 0 ? null : new DistinctRows.Values(size(), this);
  }

  @Override
  public Selection filter(Selection wanted, PredicateCursor predicate) {
    CodeMask mask = CodeMask.of(entries, predicate, wanted.count());
    Selection.Builder passed = new Selection.Builder(size());
    int next = 0;
    int n;
    while ((n = wanted.positions(next, entries.size(), BLOCK, rows)) > 0) {
      next = rows[n - 1] + 1;
      addPassing(rows, n, mask.filter(rows, n, passing), passed);
    }
    int nulls = entries.size();
    if (hasNull && wanted.anyIn(nulls, nulls + 1) && predicate.nullPasses()) {
      passed.addRange(nulls, nulls + 1);
    }
    return passed.build();
  }

  @Override
  public void select(int[] wanted, int n, OutputColumn out) {
    sink.begin(out, n);
    boolean withNull = n > 0 && wanted[n - 1] == entries.size();
    int valid = withNull ? n - 1 : n;
    for (int from = 0; from < valid; from += BLOCK) {
      int k = Math.min(BLOCK, valid - from);
      System.arraycopy(wanted, from, codes, 0, k);
      writer.write(codes, k);
    }
    if (withNull) {
      out.vector().putNull(out.at() + valid);
    }
  }
}
