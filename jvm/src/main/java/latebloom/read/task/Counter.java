// SPDX-License-Identifier: Apache-2.0
package latebloom.read.task;

/** The counters of a scan. Each is one SQL metric of the scan node, under {@link #key}. */
public enum Counter {
  FILES_EXCLUDED("filesExcluded", "files excluded before they are opened", Kind.COUNT),
  ROW_GROUPS_PRUNED("rowGroupsPruned", "row groups pruned", Kind.COUNT),
  ROW_GROUPS_ANSWERED("rowGroupsAnswered", "row groups answered without their rows", Kind.COUNT),
  ROW_GROUPS_SKIPPED("rowGroupsSkipped", "row groups skipped by filters", Kind.COUNT),
  ROW_GROUPS_LATE("rowGroupsLate", "row groups read late", Kind.COUNT),
  ROW_GROUPS_EAGER("rowGroupsEager", "row groups read eagerly", Kind.COUNT),
  ROW_GROUPS_ONE_VISIT(
      "rowGroupsOneVisit",
      "row groups read eagerly, as a second visit costs more than it saves",
      Kind.COUNT),
  ROW_GROUPS_PREFETCHED("rowGroupsPrefetched", "row groups fetched ahead", Kind.COUNT),
  PAGES_READ("pagesRead", "pages read", Kind.COUNT),
  PAGES_SKIPPED("pagesSkipped", "pages skipped", Kind.COUNT),
  ROWS_PRUNED("rowsPruned", "rows pruned", Kind.COUNT),
  ROWS_DELETED("rowsDeleted", "deleted rows", Kind.COUNT),
  SPLITS_NOT_BEST("splitsNotBest", "splits without a row that is among the best", Kind.COUNT),
  ROWS_NOT_BEST("rowsNotBest", "rows that are not among the best", Kind.COUNT),
  SPLITS_REMEMBERED(
      "splitsRemembered", "files or splits without survivors in an earlier scan", Kind.COUNT),
  SPLITS_INDEXED("splitsIndexed", "files or splits without a match in a skip index", Kind.COUNT),
  METADATA_REMEMBERED("metadataRemembered", "footers that an earlier scan had parsed", Kind.COUNT),
  ROWS_REMEMBERED("rowsRemembered", "rows that an earlier scan saw dropped", Kind.COUNT),
  ROWS_FILTERED("rowsFiltered", "rows dropped by scan filters", Kind.COUNT),
  JOIN_ROWS_TESTED("joinRowsTested", "rows tested by join filters", Kind.COUNT),
  JOIN_ROWS_DROPPED("joinRowsDropped", "rows dropped by join filters", Kind.COUNT),
  JOIN_FILTERS_OFF("joinFiltersOff", "windows without a join filter that drops little", Kind.COUNT),
  JOIN_KEYS_LATE("joinKeysLate", "windows read before a join filter had its keys", Kind.COUNT),
  BOUND_ROWS_TESTED("boundRowsTested", "rows compared with the worst of the best", Kind.COUNT),
  BOUND_ROWS_DROPPED("boundRowsDropped", "rows dropped as worse than the best", Kind.COUNT),
  FILTER_SAMPLES("filterSamples", "windows that measured the filters", Kind.COUNT),
  FILTER_REORDERS("filterReorders", "changes of the filters' order", Kind.COUNT),
  VALUES_DECODED("valuesDecoded", "values decoded", Kind.COUNT),
  VALUES_SKIPPED("valuesSkipped", "values skipped", Kind.COUNT),
  BYTES_FETCHED("bytesFetched", "bytes fetched", Kind.BYTES),
  BYTES_AVOIDED("bytesAvoided", "bytes not fetched", Kind.BYTES),
  REQUESTS("requests", "read requests", Kind.COUNT),
  PEAK_MEMORY("peakMemory", "peak memory", Kind.PEAK_BYTES),
  FETCH_TIME("fetchTime", "time fetching", Kind.NANOS),
  FILTER_TIME("filterTime", "time filtering", Kind.NANOS),
  PAYLOAD_TIME("payloadTime", "time reading payload", Kind.NANOS),
  FILES_ENCRYPTED("filesEncrypted", "files read by Spark's reader: encrypted", Kind.COUNT),
  FILES_ARCHIVED("filesArchived", "files read by Spark's reader: archives of files", Kind.COUNT),
  FILES_ACID("filesAcid", "files read by Spark's reader: of a transactional table", Kind.COUNT),
  FILES_OF_TABLE(
      "filesOfTable", "files read by the reader of their table: docs/iceberg.md", Kind.COUNT),
  FILES_TOO_LARGE(
      "filesTooLarge",
      "files read by Spark's reader: a column chunk or stripe over 1 GiB, or of over 2^31 rows",
      Kind.COUNT);

  /** Unit of a counter. */
  public enum Kind {
    COUNT,
    BYTES,
    /** A task's maximum, not a sum. */
    PEAK_BYTES,
    NANOS
  }

  /** Name of the metric in {@code SparkPlan.metrics}. */
  public final String key;

  /** Label in the Spark UI. */
  public final String label;

  public final Kind kind;

  Counter(String key, String label, Kind kind) {
    this.key = key;
    this.label = label;
    this.kind = kind;
  }
}
