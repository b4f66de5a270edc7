// SPDX-License-Identifier: Apache-2.0
package latebloom.orc;

import java.io.IOException;
import latebloom.orc.encoding.Calendars;
import latebloom.orc.flat.OrcColumns;
import latebloom.orc.flat.StripeColumn;
import latebloom.orc.stripe.Strides;
import latebloom.read.task.Counters;
import latebloom.read.task.ScanMemory;
import latebloom.read.vector.BlockArrays;
import org.apache.orc.OrcProto.Stream.Kind;
import org.apache.orc.OrcProto;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.PositionProvider;
import org.apache.spark.sql.types.DataType;

/** A flat column of a stripe, with what was fetched of it; its data is fetched when it is asked for. */
final class FlatStreams extends StripeColumn {
  private final OrcStripe stripe;
  private final OrcSplit split;
  private final OrcColumn column;
  private final ColumnStreams streams;
  private final int id;
  private final boolean payload;

  FlatStreams(
      OrcStripe stripe, OrcSplit split, OrcColumn column, ColumnStreams streams, boolean payload) {
    this.payload = payload;
    this.stripe = stripe;
    this.split = split;
    this.column = column;
    this.streams = streams;
    this.id = column.fileType().getId();
  }

  /** Whether a filter may need no more than the dictionary. */
  boolean hasDictionary() {
    return OrcColumns.isDictionary(encoding().getKind());
  }

  @Override
  public Strides strides() {
    Strides strides = stripe.strides();
    return streams.isIndexed() ? strides : Strides.none(strides.rows());
  }

  @Override
  public OrcProto.ColumnEncoding encoding() {
    return stripe.encoding(id);
  }

  @Override
  public TypeDescription fileType() {
    return column.fileType();
  }

  @Override
  public DataType type() {
    return column.field.dataType();
  }

  @Override
  public boolean has(Kind kind) {
    return stripe.has(id, kind);
  }

  @Override
  public InStream stream(Kind kind) throws IOException {
    if (!stripe.isDictionary(id, kind)) {
      stripe.fetchPlanned(streams);
    }
    return stripe.open(id, kind);
  }

  @Override
  public PositionProvider positions(int stride) throws IOException {
    return stripe.indexes().position(id, stride);
  }

  @Override
  public Calendars calendars() {
    return new Calendars(
        stripe.writerTimezone(),
        split.reader.writerUsedProlepticGregorian(),
        split.reader.getConvertToProlepticGregorian());
  }

  @Override
  public boolean isPayload() {
    return payload;
  }

  @Override
  public BlockArrays blocks() {
    return split.blocks;
  }

  @Override
  public Counters counters() {
    return split.counters;
  }

  @Override
  public ScanMemory memory() {
    return split.memory;
  }
}
