// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.stripe;

import java.io.IOException;
import latebloom.orc.encoding.Calendars;
import org.apache.orc.OrcProto;
import org.apache.orc.OrcProto.Stream.Kind;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.PositionProvider;

/** One column of one stripe, for decoders, independent of how its bytes are fetched. */
public interface ColumnSource {

  /** The strides of the stripe, indexed if the column's row index was read. */
  Strides strides();

  OrcProto.ColumnEncoding encoding();

  /** The calendars of its dates and timestamps. */
  Calendars calendars();

  /** Whether the stripe's footer lists a stream of this kind for the column. */
  boolean has(Kind kind);

  /**
   * A cursor over an existing stream, decompressed, at its start. Decoders open a stream when they
   * need its first byte: data streams only after the dictionary lets some value pass. Only bytes of
   * wanted strides can be read.
   */
  InStream open(Kind kind) throws IOException;

  /** The streams' positions of the first row of a stride, in the row index's order. */
  PositionProvider positions(int stride) throws IOException;
}
