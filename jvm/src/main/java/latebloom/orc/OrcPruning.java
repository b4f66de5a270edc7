// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import latebloom.orc.stripe.OrcColumn;
import latebloom.orc.stripe.RowIndexes;
import latebloom.orc.stripe.Strides;
import latebloom.orc.stripe.StripeStreams;
import latebloom.read.predicate.ColumnPredicate;
import latebloom.read.selection.Selection;
import latebloom.read.task.RunningTask;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument.TruthValue;
import org.apache.orc.OrcFile;
import org.apache.orc.OrcProto;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.ColumnStatisticsImpl;
import org.apache.orc.impl.ReaderImpl;
import org.apache.orc.impl.RecordReaderImpl;
import org.apache.orc.impl.SchemaEvolution;
import org.apache.orc.util.BloomFilter;
import org.apache.orc.util.BloomFilterIO;

/**
 * Rules out strides by the statistics and Bloom filters of the row index. It rules out a subset of
 * the strides that Spark's own reader skips for the same filters, so that wrong statistics drop no
 * row that Spark returns:
 *
 * <ul>
 *   <li>Spark hands ORC the pushed filters of a scan if {@code spark.sql.orc.filterPushdown} is
 *       set, and orc-core's reader then skips a stride for which the row index's statistics refute
 *       them. It never reads the statistics of stripes and of the file, and neither do we.
 *   <li>It skips only where every compared column of the file has a row index, and only by columns
 *       whose type in the file converts safely to the type that is read ({@link
 *       SchemaEvolution#isPPDSafeConversion}).
 *   <li>We evaluate each comparison by orc-core, as Spark does, and treat it as unknown where
 *       orc-core's answer differs from Spark's meaning (see {@link Statistics}). The formula over
 *       the comparisons is Spark's and is monotone: knowing less rules out less.
 * </ul>
 *
 * Spark does not prune by the keys of a join. We do so only in files whose writer is known to write
 * true statistics: see {@link Statistics#areOfKnownWriter}.
 */
public final class OrcPruning {
  private static final Set<PredicateLeaf.Operator> EQUALITIES =
      Set.of(
          PredicateLeaf.Operator.EQUALS,
          PredicateLeaf.Operator.NULL_SAFE_EQUALS,
          PredicateLeaf.Operator.IN);

  /** The most hash functions that a filter has; a damaged one may claim any number. */
  private static final int MOST_HASHES = 64;

  private final SearchArgument sarg;
  private final Leaf[] leaves;
  private final List<LeafKeys> keys;
  private final OrcFile.WriterVersion version;
  private final boolean proleptic;
  private final int[] compared;
  private final int[] indexed;
  private final int[] bloomed;

  /**
   * Conditions on the rows that statistics can refute.
   *
   * @param sarg as Spark hands it to ORC, and bounds of the keys
   * @param keys the keys of joins
   */
  public record Conditions(SearchArgument sarg, List<JoinKeys> keys) {}

  /**
   * The keys of a join on one column.
   *
   * @param bound a comparison with the column
   */
  public record JoinKeys(PredicateLeaf bound, ColumnPredicate predicate) {}

  private record LeafKeys(Leaf leaf, ColumnPredicate predicate) {}

  /**
   * One comparison of a column.
   *
   * @param type of the column in the file; null if the file has no such column
   * @param isKnown whether statistics can decide the comparison
   */
  private record Leaf(PredicateLeaf predicate, TypeDescription type, boolean isKnown) {
    boolean isEquality() {
      return EQUALITIES.contains(predicate.getOperator());
    }
  }

  private OrcPruning(Conditions conditions, List<OrcColumn> columns, ReaderImpl reader) {
    this.sarg = conditions.sarg;
    this.leaves = sarg.getLeaves().stream().map(l -> leaf(l, columns, reader)).toArray(Leaf[]::new);
    this.keys =
        conditions.keys.stream()
            .map(k -> new LeafKeys(leaf(k.bound, columns, reader), k.predicate))
            .filter(k -> k.leaf.isKnown)
            .toList();
    this.version = reader.getWriterVersion();
    this.proleptic = reader.writerUsedProlepticGregorian();
    // Releases of other writers have written wrong hashes.
    boolean trustBlooms = reader.getFileTail().getFooter().getWriter() == 0;
    this.compared = columns(leaves, l -> l.type != null);
    this.indexed =
        columns(
            leaves, l -> l.isKnown && l.predicate.getOperator() != PredicateLeaf.Operator.IS_NULL);
    this.bloomed =
        columns(leaves, l -> l.isKnown && trustBlooms && l.isEquality() && hasTrueHashes(l.type));
  }

  private static int[] columns(Leaf[] leaves, Predicate<Leaf> which) {
    return Arrays.stream(leaves).filter(which).mapToInt(l -> l.type.getId()).distinct().toArray();
  }

  /** Null if the index can rule out nothing. */
  static OrcPruning of(Conditions conditions, List<OrcColumn> columns, ReaderImpl reader) {
    OrcPruning pruning = new OrcPruning(conditions, columns, reader);
    return Arrays.stream(pruning.leaves).anyMatch(Leaf::isKnown) ? pruning : null;
  }

  private static Leaf leaf(PredicateLeaf leaf, List<OrcColumn> columns, ReaderImpl reader) {
    String path = leaf.getColumnName().toLowerCase(Locale.ROOT);
    for (OrcColumn c : columns) {
      if (!c.isMissing() && path.contains(c.field().name().toLowerCase(Locale.ROOT))) {
        SchemaEvolution evolution = c.evolution();
        TypeDescription read;
        try {
          read =
              evolution
                  .getReaderSchema()
                  .findSubtype(leaf.getColumnName(), evolution.isSchemaEvolutionCaseAware());
        } catch (IllegalArgumentException e) {
          continue;
        }
        TypeDescription inFile = evolution.getFileType(read);
        // A field's statistics do not count the nulls of the structs around it.
        boolean countsNulls =
            read.getParent() == evolution.getReaderSchema()
                || leaf.getOperator() != PredicateLeaf.Operator.IS_NULL
                    && leaf.getOperator() != PredicateLeaf.Operator.NULL_SAFE_EQUALS;
        boolean known =
            inFile != null
                && countsNulls
                && evolution.isPPDSafeConversion(inFile.getId())
                && Statistics.compare(leaf, inFile, read, reader.getWriterVersion());
        return new Leaf(leaf, inFile, known);
      }
    }
    return new Leaf(leaf, null, false);
  }

  /** Decimals are hashed as text with several spellings, times depend on the writer's zone. */
  private static boolean hasTrueHashes(TypeDescription type) {
    return switch (type.getCategory()) {
      case BYTE, SHORT, INT, LONG, STRING, VARCHAR -> true;
      default -> false;
    };
  }

  /** The rows of the strides that may hold passing rows. */
  Selection rows(StripeStreams stripe, RowIndexes indexes) throws IOException {
    Strides strides = stripe.strides();
    if (indexed.length == 0
        || !strides.isIndexed()
        || !Arrays.stream(compared)
            .allMatch(id -> stripe.has(id, OrcProto.Stream.Kind.ROW_INDEX))) {
      return Selection.all(strides.rows());
    }
    indexes.fetch(indexed, bloomed);
    List<List<OrcProto.RowIndexEntry>> entries = new ArrayList<>();
    List<List<OrcProto.BloomFilter>> blooms = new ArrayList<>();
    boolean any = false;
    for (Leaf l : leaves) {
      List<OrcProto.RowIndexEntry> of = l.isKnown ? indexes.entries(l.type.getId()) : null;
      any |= of != null;
      entries.add(of);
      boolean tested =
          of != null && l.isEquality() && Arrays.stream(bloomed).anyMatch(b -> b == l.type.getId());
      blooms.add(tested ? indexes.blooms(l.type.getId()) : null);
    }
    if (!any) {
      return Selection.all(strides.rows());
    }
    Selection.Builder rows = new Selection.Builder(strides.rows());
    TruthValue[] values = new TruthValue[leaves.length];
    for (int s = 0; s < strides.count(); s++) {
      RunningTask.checkNotKilled();
      for (int i = 0; i < leaves.length; i++) {
        values[i] =
            entries.get(i) == null
                ? TruthValue.YES_NO_NULL
                : evaluate(
                    stripe,
                    leaves[i],
                    entries.get(i).get(s),
                    blooms.get(i) == null ? null : blooms.get(i).get(s));
      }
      if (sarg.evaluate(values).isNeeded() && mayHoldKeys(indexes, s)) {
        rows.addRange(strides.firstRow(s), strides.endRow(s));
      }
    }
    return rows.build();
  }

  /** Whether a stride may hold a key of each join. */
  private boolean mayHoldKeys(RowIndexes indexes, int stride) {
    for (LeafKeys k : keys) {
      TypeDescription type = k.leaf.type;
      List<OrcProto.RowIndexEntry> entries = indexes.entries(type.getId());
      if (entries != null
          && entries.get(stride).hasStatistics()
          && Statistics.isDisjoint(type, entries.get(stride).getStatistics(), k.predicate)) {
        return false;
      }
    }
    return true;
  }

  private TruthValue evaluate(
      StripeStreams stripe, Leaf leaf, OrcProto.RowIndexEntry entry, OrcProto.BloomFilter filter) {
    OrcProto.ColumnStatistics stats =
        entry.hasStatistics()
            ? Statistics.trusted(leaf.type.getCategory(), entry.getStatistics())
            : null;
    if (stats == null) {
      return TruthValue.YES_NO_NULL;
    }
    try {
      BloomFilter bloom =
          filter == null || filter.getNumHashFunctions() > MOST_HASHES
              ? null
              : BloomFilterIO.deserialize(
                  OrcProto.Stream.Kind.BLOOM_FILTER_UTF8,
                  stripe.encoding(leaf.type.getId()),
                  version,
                  leaf.type.getCategory(),
                  filter);
      return RecordReaderImpl.evaluatePredicate(
          ColumnStatisticsImpl.deserialize(null, stats, proleptic, true), leaf.predicate, bloom);
    } catch (RuntimeException e) {
      // Without a comparison any value is possible.
      return TruthValue.YES_NO_NULL;
    }
  }
}
