// SPDX-License-Identifier: Apache-2.0
package latebloom.orc.tree;

import java.io.IOException;
import latebloom.orc.stripe.StripeStreams;
import org.apache.orc.OrcProto;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.ReaderImpl;
import org.apache.orc.impl.StreamName;
import org.apache.orc.impl.reader.StripePlanner;

/** Passes the fetched streams of a stripe to orc-core's column readers. */
public final class TreeStreams extends StripePlanner {
  private final StripeStreams stripe;

  public TreeStreams(StripeStreams stripe, ReaderImpl reader) {
    super(reader.getSchema(), reader.getEncryption(), null, reader.getWriterVersion(), false, 0);
    this.stripe = stripe;
  }

  @Override
  public OrcProto.ColumnEncoding getEncoding(int column) {
    return stripe.encoding(column);
  }

  @Override
  public InStream getStream(StreamName name) throws IOException {
    if (name.getKind() == OrcProto.Stream.Kind.LENGTH
        && stripe.isDictionary(name.getColumn(), name.getKind())) {
      DictionaryLengths.check(stripe, name.getColumn());
    }
    InStream in = stripe.open(name.getColumn(), name.getKind());
    // orc-core reads a dictionary to the end of its stream.
    boolean whole = name.getKind() == OrcProto.Stream.Kind.DICTIONARY_DATA;
    return in == null ? null : new StrictStream(in, name, whole);
  }

  @Override
  public String getWriterTimezone() {
    return stripe.writerTimezone();
  }
}
