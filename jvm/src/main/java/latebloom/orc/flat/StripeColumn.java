// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.flat;

import java.io.IOException;
import latebloom.orc.encoding.ByteFeed;
import latebloom.read.predicate.Held;
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

  /** Rows of the stripe. */
  public abstract int rows();

  /** Rows between two entries of the row index, or 0 without one. */
  public abstract int stride();

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

  /** Time zone of the stripe's writer; null or empty if it is not known. */
  public abstract String writerTimezone();

  /** Whether dates and timestamps of the file are of the proleptic Gregorian calendar. */
  public abstract boolean fileIsProleptic();

  /** Whether orc-core would be asked to convert them to that calendar. */
  public abstract boolean readerIsProleptic();

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
  final boolean keeps(Held held) {
    return isPayload() && held != Held.FLOAT && held != Held.DOUBLE;
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
