// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import java.io.IOException;
import latebloom.orc.encoding.Calendars;
import org.apache.orc.OrcProto;
import org.apache.orc.OrcProto.Stream.Kind;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.PositionProvider;

/** What decoders need to know of one column of one stripe, whoever fetches its bytes. */
public interface ColumnSource {

  /** The strides of the stripe, indexed if the column's row index was read. */
  Strides strides();

  OrcProto.ColumnEncoding encoding();

  /** How its dates and timestamps are to be read. */
  Calendars calendars();

  /** Whether the stripe's footer lists a stream of this kind for the column. */
  boolean has(Kind kind);

  /**
   * A cursor of its own over a stream that there is, decompressed, at its start. Asked for when the
   * first byte is needed: data streams not before the dictionary has let something pass. Only what
   * lies in wanted strides is read.
   */
  InStream open(Kind kind) throws IOException;

  /** Where the streams must be sought for the first row of a stride, as in the row index. */
  PositionProvider positions(int stride) throws IOException;
}
