// SPDX-License-Identifier: Apache-2.0
package latebloom.read.text;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A LIKE pattern, matched on the bytes of a string with Spark's meaning: Spark decodes a string
 * (each malformed piece becomes U+FFFD), {@code %} matches any number of characters and {@code _}
 * one, line ends and supplementary characters included.
 *
 * <p>{@code %} cuts the pattern into segments, each of a fixed number of characters. The first must
 * match at the start of the string, the last at its end, and each of the others, in turn, matches
 * at the first possible place after the one before; if that fails, no other choice of places can
 * succeed.
 *
 * <p>Matching bytes is exact: a byte that can begin a character always begins one, whatever
 * precedes it; the decoder never takes it for the rest of a malformed piece. So literal text occurs
 * in the bytes exactly where it occurs in the decoded string. Only {@code _}, and U+FFFD as a
 * literal, distinguish malformed bytes from others. Patterns with one of these first check whether
 * the string is well-formed and, if not, match the decoded string, encoded again.
 */
public final class LikePattern implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final int REPLACEMENT = 0xfffd;

  private final String pattern;
  private final char escape;

  /** Whether the pattern has no {@code _} and no U+FFFD, and so can be matched on any bytes. */
  private final boolean plain;

  /** The fewest bytes of a (well-formed) matching string. */
  private final int minLength;

  private final Segment first;
  private final Segment[] middle;

  /** Null if there is no {@code %}: then {@link #first} is the whole string. */
  private final Segment last;

  private final Needle required;

  private LikePattern(String pattern, char escape, boolean plain, List<Segment> segments) {
    this.pattern = pattern;
    this.escape = escape;
    this.plain = plain;
    int n = segments.size();
    minLength = segments.stream().mapToInt(Segment::minLength).sum();
    first = segments.get(0);
    last = n == 1 ? null : segments.get(n - 1);
    middle =
        segments.subList(Math.min(1, n), Math.max(1, n - 1)).stream()
            .filter(s -> !s.isEmpty())
            .toArray(Segment[]::new);
    // U+FFFD also matches malformed bytes, which differ from the needle's.
    required = pattern.indexOf(REPLACEMENT) < 0 ? longestInside() : null;
  }

  /**
   * The pattern, or empty if it is invalid: the escape character precedes something other than
   * {@code %}, {@code _} or itself, or ends the pattern. Spark reports that error itself.
   */
  public static Optional<LikePattern> compile(String pattern, char escape) {
    int[] in = pattern.codePoints().toArray();
    boolean plain = true;
    List<Segment> segments = new ArrayList<>();
    SegmentBuilder segment = new SegmentBuilder();
    for (int i = 0; i < in.length; i++) {
      int c = in[i];
      if (c == escape) {
        if (++i == in.length || in[i] != '_' && in[i] != '%' && in[i] != escape) {
          return Optional.empty();
        }
        c = in[i];
      } else if (c == '_') {
        plain = false;
        segment.any();
        continue;
      } else if (c == '%') {
        segments.add(segment.build());
        segment = new SegmentBuilder();
        continue;
      }
      plain &= c != REPLACEMENT;
      segment.literal(c);
    }
    segments.add(segment.build());
    return Optional.of(new LikePattern(pattern, escape, plain, segments));
  }

  /** Whether the string of {@code length} bytes at {@code offset} matches. */
  public boolean matches(byte[] data, int offset, int length) {
    if (plain || ByteStrings.isUtf8(data, offset, length)) {
      return matchesWellFormed(data, offset, length);
    }
    byte[] replaced =
        new String(data, offset, length, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
    return matchesWellFormed(replaced, 0, replaced.length);
  }

  private boolean matchesWellFormed(byte[] data, int offset, int length) {
    if (length < minLength) {
      return false;
    }
    int end = offset + length;
    int at = first.matchFrom(data, offset, end);
    if (last == null) {
      return at == end;
    }
    if (at < 0) {
      return false;
    }
    end = last.matchUpTo(data, at, end);
    if (end < 0) {
      return false;
    }
    for (Segment segment : middle) {
      at = segment.find(data, at, end);
      if (at < 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * A literal of every matching string, if searching for it first pays, else null: the longest
   * literal between two {@code %}. Text at a string's start or end is faster to check in place.
   */
  Needle required() {
    return required;
  }

  private Needle longestInside() {
    Needle longest = null;
    for (Segment segment : middle) {
      for (Needle literal : segment.literals) {
        if (longest == null || literal.length() > longest.length()) {
          longest = literal;
        }
      }
    }
    boolean anchored = first.hasLiteral() || last != null && last.hasLiteral();
    return longest == null || longest.length() < 2 || anchored ? null : longest;
  }

  /** The SQL form, with quotes doubled. */
  @Override
  public String toString() {
    String text = "LIKE '" + pattern.replace("'", "''") + "'";
    return escape == '\\' ? text : text + " ESCAPE '" + escape + "'";
  }

  /** The part between two {@code %}: literals, each after a number of arbitrary characters. */
  private static final class Segment implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The numbers of {@code _} before each literal. */
    private final int[] skips;

    /** Not empty, except possibly the last. */
    private final Needle[] literals;

    Segment(int[] skips, Needle[] literals) {
      this.skips = skips;
      this.literals = literals;
    }

    int minLength() {
      int length = 0;
      for (int i = 0; i < skips.length; i++) {
        length += skips[i] + literals[i].length();
      }
      return length;
    }

    boolean hasLiteral() {
      return literals[literals.length - 1].length() > 0 || literals.length > 1;
    }

    boolean isEmpty() {
      return minLength() == 0;
    }

    /** The end of the segment if it matches at {@code at}, within {@code end}; else -1. */
    int matchFrom(byte[] data, int at, int end) {
      return matchFrom(0, data, at, end);
    }

    private int matchFrom(int part, byte[] data, int at, int end) {
      for (int i = part; i < skips.length; i++) {
        at = skip(data, at, end, skips[i]);
        Needle literal = literals[i];
        if (at < 0 || literal.length() > end - at || !literal.at(data, at)) {
          return -1;
        }
        at += literal.length();
      }
      return at;
    }

    /** The start of the segment if it ends at {@code end}, not before {@code from}; else -1. */
    int matchUpTo(byte[] data, int from, int end) {
      for (int i = skips.length - 1; i >= 0; i--) {
        Needle literal = literals[i];
        end -= literal.length();
        if (end < from || !literal.at(data, end)) {
          return -1;
        }
        for (int k = 0; k < skips[i]; k++) {
          if (end <= from) {
            return -1;
          }
          end--;
          while (end > from && ByteStrings.isContinuation(data[end])) {
            end--;
          }
        }
      }
      return end;
    }

    /** The end of the segment at its first match from {@code at} on; or -1. */
    int find(byte[] data, int at, int end) {
      at = skip(data, at, end, skips[0]);
      if (at < 0) {
        return -1;
      }
      Needle literal = literals[0];
      while (true) {
        at = literal.find(data, at, end);
        if (at < 0 || skips.length == 1) {
          return at < 0 ? -1 : at + literal.length();
        }
        int after = matchFrom(1, data, at + literal.length(), end);
        if (after >= 0) {
          return after;
        }
        at++;
      }
    }

    /** The position {@code n} characters after {@code at}, or -1 if there are fewer. */
    private static int skip(byte[] data, int at, int end, int n) {
      for (int k = 0; k < n; k++) {
        if (at >= end) {
          return -1;
        }
        at++;
        while (at < end && ByteStrings.isContinuation(data[at])) {
          at++;
        }
      }
      return at;
    }
  }

  private static final class SegmentBuilder {
    private final List<Integer> skips = new ArrayList<>();
    private final List<Needle> literals = new ArrayList<>();
    private final ByteArrayOutputStream literal = new ByteArrayOutputStream();
    private int skip;

    void any() {
      if (literal.size() > 0) {
        endPart();
      }
      skip++;
    }

    void literal(int codePoint) {
      literal.writeBytes(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
    }

    private void endPart() {
      skips.add(skip);
      literals.add(new Needle(literal.toByteArray()));
      skip = 0;
      literal.reset();
    }

    Segment build() {
      if (skip > 0 || literal.size() > 0 || skips.isEmpty()) {
        endPart();
      }
      return new Segment(
          skips.stream().mapToInt(Integer::intValue).toArray(), literals.toArray(Needle[]::new));
    }
  }
}
