// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet.footer;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides by its writer which statistics and indexes of a file can be trusted.
 *
 * <p>Spark skips row groups and pages by statistics for the filters that it pushes down, and we
 * skip the same ones. Spark never keeps a row because of statistics, never drops one because of the
 * keys of a join, and uses page offsets only where a pushed filter skipped pages. We do all three,
 * so that a writer's error here could make our answer differ from Spark's. Known errors are:
 *
 * <ul>
 *   <li>Arrow C++ wrote a null count of 0 for dictionary arrays with nulls (ARROW-12513, until
 *       5.0), minima and maxima of a part of such a column (apache/arrow 15042, 34106, until 12.0),
 *       null counts of pages at random (34326, until 12.0), and too small null counts below lists
 *       to this day (51097).
 *   <li>parquet-rs wrote a null count of 0 for columns of nulls (apache/arrow-rs 306), counted
 *       nulls twice (2046), and wrote indexes without pages (4459) or invalid ones (6310, in 2024)
 *       for pages of nulls.
 *   <li>arrow2 took the dictionary's nulls for the column's (jorgecarleitao/arrow2 1414); arrow-go
 *       wrote negative null counts (apache/arrow-go 489), and fraugster/parquet-go (69) and cuDF
 *       (rapidsai/cudf 9303, 12938) wrong ones; xitongsys/parquet-go wrote wrong sizes of pages
 *       (567), and Polars the minima and maxima of decimals in the wrong order (pola-rs/polars
 *       29347).
 *   <li>parquet-mr compared byte strings in the wrong order (PARQUET-251, PARQUET-686), and did not
 *       tell a null count of 0 from none (PARQUET-1217, until 1.10).
 *   <li>DuckDB does not count the nulls that a column has from a struct around it: in {@code
 *       ColumnWriter::HandleDefineLevels} only a column without a parent counts as many as it
 *       writes.
 * </ul>
 *
 * We therefore trust, for columns that are not nested, and of numeric ones for integers only:
 *
 * <table>
 *   <caption>From which version on</caption>
 *   <tr><th></th><th>bounds</th><th>null counts</th><th>page offsets</th><th>entries</th></tr>
 *   <tr><td>parquet-mr</td><td>1.11.0</td><td>1.11.0</td><td>1.11.0</td><td>1.11.0</td></tr>
 *   <tr><td>parquet-rs</td><td>54.0.0</td><td>54.0.0</td><td>54.0.0</td><td>54.0.0</td></tr>
 *   <tr><td>DuckDB</td><td>1.2.0</td><td>1.2.0</td><td>(writes none)</td><td>1.2.0</td></tr>
 *   <tr><td>parquet-cpp-arrow</td><td>13.0.0</td><td>never</td><td>13.0.0</td><td>never</td></tr>
 *   <tr><td>all others</td><td>never</td><td>never</td><td>never</td><td>never</td></tr>
 * </table>
 *
 * No fault is known of these, nor of any version of DuckDB for columns that are not nested. Arrow
 * C++ got null counts wrong in so many ways that we never trust them. Page offsets are always
 * checked against the headers found there. The format allows a dictionary to have entries that no
 * row has. Arrow C++ writes the dictionaries of Arrow's arrays as they are; the first three writers
 * build their own from the values that they write.
 *
 * @param bounds whether no value is less than the minimum, or greater than the maximum, of its
 *     chunk and of its page
 * @param nullCounts whether a chunk without nulls by its statistics has none
 * @param places whether pages and their rows lie where the offset index says
 * @param entries whether some row has each entry of the dictionary of a chunk all of whose pages
 *     are coded
 */
public record TrustedStatistics(
    boolean bounds, boolean nullCounts, boolean places, boolean entries) {
  private static final TrustedStatistics NONE = new TrustedStatistics(false, false, false, false);
  private static final TrustedStatistics ALL = new TrustedStatistics(true, true, true, true);

  // A pre-release or a third party's build does not count as the version.
  private static final Pattern WRITER =
      Pattern.compile("(\\S+) version v?(\\d{1,6})\\.(\\d{1,6})\\.\\d{1,6}(?: .*)?");

  /**
   * @param createdBy of the footer; null if it has none
   */
  public static TrustedStatistics of(String createdBy) {
    Matcher writer = WRITER.matcher(createdBy == null ? "" : createdBy);
    if (!writer.matches()) {
      return NONE;
    }
    long major = Long.parseLong(writer.group(2));
    long version = major * 1_000_000 + Long.parseLong(writer.group(3));
    return switch (writer.group(1)) {
      case "parquet-mr" -> version >= 1_000_011 ? ALL : NONE;
      case "parquet-rs" -> major >= 54 ? ALL : NONE;
      case "DuckDB" -> version >= 1_000_002 ? new TrustedStatistics(true, true, false, true) : NONE;
      case "parquet-cpp-arrow" ->
          major >= 13 ? new TrustedStatistics(true, false, true, false) : NONE;
      default -> NONE;
    };
  }
}
