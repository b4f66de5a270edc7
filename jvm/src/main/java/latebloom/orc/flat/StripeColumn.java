// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.flat;

import java.io.IOException;
import latebloom.orc.encoding.ByteFeed;
import latebloom.orc.stripe.ColumnSource;
import latebloom.orc.stripe.SplitContext;
import latebloom.read.predicate.VectorType;
import latebloom.read.task.Counters;
import latebloom.read.vector.BlockArrays;
import org.apache.orc.OrcProto;
import org.apache.orc.TypeDescription;
import org.apache.spark.sql.types.DataType;

/**
 * One column of one stripe, for decoders. Cursors over the same column share it, and with it the
 * dictionary and the values that filters keep.
 */
public final class StripeColumn {
  final ColumnSource source;

  /** The column's type in the file. */
  final TypeDescription fileType;

  /** The type as which Spark reads it. */
  final DataType type;

  final OrcProto.ColumnEncoding.Kind encoding;
  private final boolean payload;
  private final SplitContext split;
  private StripeDictionary dictionary;
  private KeptValues kept;

  /**
   * @param payload whether rows that pass a filter of the column are read again, as payload
   */
  public StripeColumn(
      ColumnSource source,
      TypeDescription fileType,
      DataType type,
      boolean payload,
      SplitContext split) {
    this.source = source;
    this.fileType = fileType;
    this.type = type;
    this.encoding = source.encoding().getKind();
    this.payload = payload;
    this.split = split;
  }

  BlockArrays blocks() {
    return split.blocks();
  }

  Counters counters() {
    return split.counters();
  }

  /** The dictionary of byte strings, decoded once. */
  StripeDictionary dictionary() throws IOException {
    if (dictionary == null) {
      dictionary = StripeDictionary.read(this);
    }
    return dictionary;
  }

  /** Whether values are codes of dictionary entries. */
  public boolean isCoded() {
    return encoding == OrcProto.ColumnEncoding.Kind.DICTIONARY
        || encoding == OrcProto.ColumnEncoding.Kind.DICTIONARY_V2;
  }

  /** Whether filters keep values: for floats and doubles they would only have comparable keys. */
  boolean keeps(VectorType vectorType) {
    return payload && vectorType != VectorType.FLOAT && vectorType != VectorType.DOUBLE;
  }

  /** The values that filters kept for the payload. */
  KeptValues kept() {
    if (kept == null) {
      kept = new KeptValues(split.memory());
    }
    return kept;
  }

  /** The bytes of a stream; an empty feed if the stripe lacks it. */
  ByteFeed feed(OrcProto.Stream.Kind kind) throws IOException {
    return new ByteFeed(source.has(kind) ? source.open(kind) : null, kind);
  }
}
