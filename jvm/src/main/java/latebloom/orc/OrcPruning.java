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
 * Which strides the statistics of the row index, and its Bloom filters, rule out. A subset of those
 * that Spark's own reader passes over for the same filters, so that wrong statistics take no row
 * from the answer that Spark has:
 *
 * <ul>
 *   <li>Spark hands ORC the pushed filters of a scan if {@code spark.sql.orc.filterPushdown} is
 *       set, and orc-core's reader then passes over a stride where they are false of the statistics
 *       in the row index. It never reads the statistics of stripes and of the file, and so neither
 *       do we.
 *   <li>It does so only where every compared column that the file has got has a row index, and only
 *       by columns whose type in the file is as good as the one that is read ({@link
 *       SchemaEvolution#isPPDSafeConversion}).
 *   <li>The comparisons are evaluated by orc-core, of which Spark asks the same. Where we do not
 *       ask, since its answer is not what Spark means (see {@link Statistics}), anything may pass.
 *       A stride is ruled out by the same formula, which is monotone: with less known less is ruled
 *       out.
 * </ul>
 *
 * By the bounds of a join's keys Spark prunes nothing. They are added only for files whose writer
 * is known to write true statistics: see {@link Statistics#areOfKnownWriter}.
 */
public final class OrcPruning {
  private static final Set<PredicateLeaf.Operator> EQUALITIES =
      Set.of(
          PredicateLeaf.Operator.EQUALS,
          PredicateLeaf.Operator.NULL_SAFE_EQUALS,
          PredicateLeaf.Operator.IN);

  /** More hash functions than this have no filter; a damaged one may claim any number. */
  private static final int MOST_HASHES = 64;

  private final SearchArgument sarg;
  private final Leaf[] leaves;
  private final OrcFile.WriterVersion version;
  private final boolean proleptic;
  private final int[] compared;
  private final int[] indexed;
  private final int[] bloomed;

  /**
   * A comparison of a column.
   *
   * @param type of the column in the file; null if the file has no such column
   * @param isKnown whether statistics are a measure of the comparison
   */
  private record Leaf(PredicateLeaf predicate, TypeDescription type, boolean isKnown) {
    boolean isEquality() {
      return EQUALITIES.contains(predicate.getOperator());
    }
  }

  private OrcPruning(SearchArgument sarg, Leaf[] leaves, ReaderImpl reader) {
    this.sarg = sarg;
    this.leaves = leaves;
    this.version = reader.getWriterVersion();
    this.proleptic = reader.writerUsedProlepticGregorian();
    // Other writers' hashes have been wrong before.
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

  /** Null if nothing can be told. */
  static OrcPruning of(SearchArgument sarg, List<OrcColumn> columns, ReaderImpl reader) {
    Leaf[] leaves =
        sarg.getLeaves().stream().map(l -> leaf(l, columns, reader)).toArray(Leaf[]::new);
    return Arrays.stream(leaves).anyMatch(Leaf::isKnown)
        ? new OrcPruning(sarg, leaves, reader)
        : null;
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

  /** Decimals are hashed as text, which may be written in several ways, times by zone. */
  private static boolean hasTrueHashes(TypeDescription type) {
    return switch (type.getCategory()) {
      case BYTE, SHORT, INT, LONG, STRING, VARCHAR -> true;
      default -> false;
    };
  }

  /** The rows of those strides that may have some that pass. */
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
      if (sarg.evaluate(values).isNeeded()) {
        rows.addRange(strides.firstRow(s), strides.endRow(s));
      }
    }
    return rows.build();
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
      // What can't be compared may be anything.
      return TruthValue.YES_NO_NULL;
    }
  }
}
