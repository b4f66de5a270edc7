// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import latebloom.read.Selection;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument.TruthValue;
import org.apache.orc.OrcFile;
import org.apache.orc.OrcProto;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.ColumnStatisticsImpl;
import org.apache.orc.impl.ReaderImpl;
import org.apache.orc.impl.RecordReaderImpl;
import org.apache.orc.util.BloomFilter;
import org.apache.orc.util.BloomFilterIO;

/**
 * Which stripes and strides statistics and Bloom filters rule out. orc-core evaluates the comparisons;
 * it is asked only where what it says is what Spark means, and where that is not certain anything may
 * pass: see {@link Statistics}.
 */
public final class OrcPruning {
  private static final Set<PredicateLeaf.Operator> EQUALITIES =
      Set.of(
          PredicateLeaf.Operator.EQUALS,
          PredicateLeaf.Operator.NULL_SAFE_EQUALS,
          PredicateLeaf.Operator.IN);

  private final SearchArgument sarg;
  private final Leaf[] leaves;
  private final OrcFile.WriterVersion version;
  private final boolean proleptic;
  private final boolean trustBlooms;
  private final int[] indexed;
  private final int[] bloomed;

  /**
   * A comparison of a column.
   *
   * @param type of the column in the file; null if its statistics are no measure of the comparison
   */
  private record Leaf(PredicateLeaf predicate, TypeDescription type) {
    boolean isKnown() {
      return type != null;
    }

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
    this.trustBlooms = reader.getFileTail().getFooter().getWriter() == 0;
    this.indexed =
        Arrays.stream(leaves)
            .filter(l -> l.isKnown() && l.predicate.getOperator() != PredicateLeaf.Operator.IS_NULL)
            .mapToInt(l -> l.type.getId())
            .distinct()
            .toArray();
    this.bloomed =
        Arrays.stream(leaves)
            .filter(l -> l.isKnown() && trustBlooms && l.isEquality() && hasTrueHashes(l.type))
            .mapToInt(l -> l.type.getId())
            .distinct()
            .toArray();
  }

  /** Null if nothing can be told. */
  static OrcPruning of(SearchArgument sarg, List<OrcColumn> columns, ReaderImpl reader) {
    List<PredicateLeaf> predicates = sarg.getLeaves();
    Leaf[] leaves = new Leaf[predicates.size()];
    boolean any = false;
    for (int i = 0; i < leaves.length; i++) {
      leaves[i] = new Leaf(predicates.get(i), comparable(predicates.get(i), columns, reader));
      any |= leaves[i].isKnown();
    }
    return any ? new OrcPruning(sarg, leaves, reader) : null;
  }

  /** The file's column that a comparison is about, if its statistics are of what is compared. */
  private static TypeDescription comparable(
      PredicateLeaf leaf, List<OrcColumn> columns, ReaderImpl reader) {
    String path = leaf.getColumnName().toLowerCase(Locale.ROOT);
    for (OrcColumn c : columns) {
      if (!c.isMissing() && path.contains(c.field.name().toLowerCase(Locale.ROOT))) {
        TypeDescription read;
        try {
          read =
              c.evolution
                  .getReaderSchema()
                  .findSubtype(leaf.getColumnName(), c.evolution.isSchemaEvolutionCaseAware());
        } catch (IllegalArgumentException e) {
          continue;
        }
        TypeDescription inFile = c.evolution.getFileType(read);
        // A field's statistics do not count the nulls of the structs around it.
        boolean countsNulls =
            read.getParent() == c.evolution.getReaderSchema()
                || leaf.getOperator() != PredicateLeaf.Operator.IS_NULL
                    && leaf.getOperator() != PredicateLeaf.Operator.NULL_SAFE_EQUALS;
        return inFile != null
                && countsNulls
                && Statistics.compare(leaf, inFile, read, reader.getWriterVersion())
            ? inFile
            : null;
      }
    }
    return null;
  }

  /** Decimals are hashed as text, which may be written in several ways, times by zone. */
  private static boolean hasTrueHashes(TypeDescription type) {
    return switch (type.getCategory()) {
      case BYTE, SHORT, INT, LONG, STRING, VARCHAR -> true;
      default -> false;
    };
  }

  /**
   * Whether a row of a stripe may pass.
   *
   * @param statistics of a column in the stripe, or null
   */
  boolean mayPass(IntFunction<OrcProto.ColumnStatistics> statistics) {
    TruthValue[] values = new TruthValue[leaves.length];
    for (int i = 0; i < leaves.length; i++) {
      Leaf l = leaves[i];
      values[i] =
          l.isKnown()
              ? evaluate(l, statistics.apply(l.type.getId()), null)
              : TruthValue.YES_NO_NULL;
    }
    return sarg.evaluate(values).isNeeded();
  }

  /** The rows of those strides that may have some that pass. */
  Selection rows(OrcStripe stripe) throws IOException {
    boolean blooms = false;
    for (int id : bloomed) {
      blooms |= stripe.has(id, OrcProto.Stream.Kind.BLOOM_FILTER_UTF8);
    }
    // Statistics of the only stride are those of the stripe.
    if (indexed.length == 0 || stripe.strides() == 1 && !blooms) {
      return Selection.all(stripe.rows());
    }
    stripe.indexes().fetch(indexed, bloomed);
    OrcProto.BloomFilterIndex[] filters = new OrcProto.BloomFilterIndex[leaves.length];
    OrcProto.RowIndex[] indexes = new OrcProto.RowIndex[leaves.length];
    for (int i = 0; i < leaves.length; i++) {
      if (leaves[i].isKnown()) {
        int id = leaves[i].type.getId();
        indexes[i] = stripe.indexes().of(id);
        boolean tested = Arrays.stream(bloomed).anyMatch(b -> b == id);
        filters[i] = tested && leaves[i].isEquality() ? stripe.indexes().blooms(id) : null;
      }
    }
    Selection.Builder rows = new Selection.Builder(stripe.rows());
    for (int s = 0; s < stripe.strides(); s++) {
      if (mayPass(stripe, s, indexes, filters)) {
        int from = stripe.firstRow(s);
        rows.addRange(from, s + 1 < stripe.strides() ? stripe.firstRow(s + 1) : stripe.rows());
      }
    }
    return rows.build();
  }

  private boolean mayPass(
      OrcStripe stripe,
      int stride,
      OrcProto.RowIndex[] indexes,
      OrcProto.BloomFilterIndex[] filters) {
    TruthValue[] values = new TruthValue[leaves.length];
    for (int i = 0; i < leaves.length; i++) {
      values[i] = TruthValue.YES_NO_NULL;
      if (indexes[i] != null) {
        OrcProto.RowIndexEntry entry = indexes[i].getEntry(stride);
        BloomFilter bloom =
            filters[i] == null
                ? null
                : BloomFilterIO.deserialize(
                    OrcProto.Stream.Kind.BLOOM_FILTER_UTF8,
                    stripe.encoding(leaves[i].type.getId()),
                    version,
                    leaves[i].type.getCategory(),
                    filters[i].getBloomFilter(stride));
        values[i] = evaluate(leaves[i], entry.hasStatistics() ? entry.getStatistics() : null, bloom);
      }
    }
    return sarg.evaluate(values).isNeeded();
  }

  private TruthValue evaluate(Leaf leaf, OrcProto.ColumnStatistics read, BloomFilter bloom) {
    OrcProto.ColumnStatistics stats =
        read == null ? null : Statistics.trusted(leaf.type.getCategory(), read);
    if (stats == null) {
      return TruthValue.YES_NO_NULL;
    }
    try {
      return RecordReaderImpl.evaluatePredicate(
          ColumnStatisticsImpl.deserialize(null, stats, proleptic, true), leaf.predicate, bloom);
    } catch (RuntimeException e) {
      // What can't be compared may be anything.
      return TruthValue.YES_NO_NULL;
    }
  }
}
