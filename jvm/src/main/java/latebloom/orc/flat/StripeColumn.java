// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.flat;

import java.io.IOException;
import latebloom.orc.encoding.ByteFeed;
import latebloom.orc.encoding.Calendars;
import latebloom.orc.stripe.Strides;
import latebloom.read.predicate.VectorType;
import latebloom.read.task.Counters;
import latebloom.read.task.ScanMemory;
import latebloom.read.vector.BlockArrays;
import org.apache.orc.OrcProto;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.PositionProvider;
import org.apache.spark.sql.types.DataType;

/**
 * One column of one stripe: what decoders need of it, whoever fetches its bytes. Cursors over the same
 * column share one, and with it the dictionary.
 */
public abstract class StripeColumn {
  private StripeDictionary dictionary;
  private KeptValues kept;

  /** The strides of the stripe, indexed if the column's row index was read. */
  public abstract Strides strides();

  public abstract OrcProto.ColumnEncoding encoding();

  /** The column's type in the file. */
  public abstract TypeDescription fileType();

  /** What Spark reads it as. */
  public abstract DataType type();

  /** Whether the stripe's footer lists a stream of this kind for the column. */
  public abstract boolean has(OrcProto.Stream.Kind kind);

  /**
   * A cursor of its own over a stream that there is, decompressed, at its start. Asked for when the
   * first byte is needed: data streams not before the dictionary has let something pass. Only what
   * lies in wanted strides is read.
   */
  public abstract InStream stream(OrcProto.Stream.Kind kind) throws IOException;

  /** Where the streams must be sought for the first row of a stride, as in the row index. */
  public abstract PositionProvider positions(int stride) throws IOException;

  /** How its dates and timestamps are to be read. */
  public abstract Calendars calendars();

  /** Whether what passes a filter of the column will be read again, as payload. */
  public abstract boolean isPayload();

  /** Shared by the columns of a split. */
  public abstract BlockArrays blocks();

  public abstract Counters counters();

  /** Told of the values that are kept. */
  public abstract ScanMemory memory();

  /** The dictionary of byte strings; decoded once. */
  final StripeDictionary dictionary() throws IOException {
    if (dictionary == null) {
      dictionary = StripeDictionary.read(this);
    }
    return dictionary;
  }

  /** Whether values are codes of dictionary entries. */
  final boolean isCoded() {
    return OrcColumns.isDictionary(encoding().getKind());
  }

  /** Whether filters keep values: of floats and doubles they leave only what these compare by. */
  final boolean keeps(VectorType vectorType) {
    return isPayload() && vectorType != VectorType.FLOAT && vectorType != VectorType.DOUBLE;
  }

  /** What filters kept for the payload. */
  final KeptValues kept() {
    if (kept == null) {
      kept = new KeptValues(memory());
    }
    return kept;
  }

  /** The bytes of a stream; of one that is not there, none. */
  final ByteFeed feed(OrcProto.Stream.Kind kind) throws IOException {
    return new ByteFeed(has(kind) ? stream(kind) : null, kind);
  }
}
