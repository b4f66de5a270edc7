// SPDX-License-Identifier: Apache-2.0
package latebloom.parquet;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Proxy;
import java.time.ZoneId;
import java.util.List;
import latebloom.line.OpenedFile;
import latebloom.line.ParquetColumns;
import latebloom.line.ScalaSeqs;
import latebloom.parquet.types.Calendars;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn;
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport$;
import org.apache.spark.sql.execution.datasources.parquet.ParquetVectorUpdaterFactory;
import org.apache.spark.sql.execution.datasources.parquet.SpecificParquetRecordReaderBase;
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Spark's own vectorised reader for one top-level column, fed with pages that we fetched. It
 * decodes and refuses exactly what Spark does: nested types, missing columns and their defaults,
 * generated row indexes, rebased dates.
 *
 * <p>Spark's reader takes its row groups from an interface of its own package, behind a protected
 * field. Loaded through {@code spark.jars}, our classes have another class loader and so, for the
 * JVM, another package: a {@link VarHandle} sets the field and a proxy implements the interface.
 */
public final class SparkReader extends VectorizedParquetRecordReader {
  private static final VarHandle READER;
  private static final Class<?> ROW_GROUP_READER;
  private static final MethodHandle UPDATERS;

  static {
    try {
      ROW_GROUP_READER = SpecificParquetRecordReaderBase.class.getDeclaredField("reader").getType();
      READER =
          MethodHandles.privateLookupIn(
                  SpecificParquetRecordReaderBase.class, MethodHandles.lookup())
              .findVarHandle(SpecificParquetRecordReaderBase.class, "reader", ROW_GROUP_READER);
      UPDATERS =
          MethodHandles.privateLookupIn(ParquetVectorUpdaterFactory.class, MethodHandles.lookup())
              .findConstructor(
                  ParquetVectorUpdaterFactory.class,
                  MethodType.methodType(
                      void.class,
                      LogicalTypeAnnotation.class,
                      ZoneId.class,
                      String.class,
                      String.class,
                      String.class,
                      String.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** How Spark would read the file; shared by its columns. */
  public record Context(
      HadoopInputFile inputFile,
      ParquetMetadata footer,
      Configuration conf,
      Calendars calendars,
      boolean offHeap,
      int batchRows) {

    /**
     * Throws Spark's error for a column of the file that cannot be read as the wanted type. Without
     * this check a scan that never reads the column would not throw.
     */
    void checkReadable(ParquetColumn column, MessageType file) {
      if (column.descriptor().isDefined() && !ParquetColumns.isVariant(column)) {
        ColumnDescriptor leaf = column.descriptor().get();
        if (file.containsPath(leaf.getPath())) {
          try {
            Object factory =
                UPDATERS.invoke(
                    leaf.getPrimitiveType().getLogicalTypeAnnotation(),
                    calendars.convertTz(),
                    calendars.datetimeMode(),
                    calendars.datetimeZone(),
                    calendars.int96Mode(),
                    calendars.int96Zone());
            ((ParquetVectorUpdaterFactory) factory).getUpdater(leaf, column.sparkType());
          } catch (RuntimeException | Error e) {
            throw e;
          } catch (Throwable e) {
            throw new IllegalStateException(e);
          }
        }
      }
      for (ParquetColumn child : ScalaSeqs.asJava(column.children())) {
        checkReadable(child, file);
      }
    }
  }

  private PageReadStore pages;

  /** Opens a reader for {@code field}; reads no data. */
  static SparkReader open(Context context, StructField field) throws IOException {
    SparkReader reader = new SparkReader(context);
    Configuration conf = new Configuration(context.conf);
    String schema = new StructType(new StructField[] {field}).json();
    conf.set(ParquetReadSupport$.MODULE$.SPARK_ROW_REQUESTED_SCHEMA(), schema);
    // No row groups and no filter: the split decides both, and counts them once.
    ParquetMetadata footer = new ParquetMetadata(context.footer.getFileMetaData(), List.of());
    try {
      OpenedFile.initialize(reader, context.inputFile, conf, footer);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    Object rowGroups =
        Proxy.newProxyInstance(
            ROW_GROUP_READER.getClassLoader(),
            new Class<?>[] {ROW_GROUP_READER},
            (proxy, method, args) ->
                method.getName().equals("readNextRowGroup") ? reader.pages : null);
    ((java.io.Closeable) READER.get((SpecificParquetRecordReaderBase<?>) reader)).close();
    READER.set((SpecificParquetRecordReaderBase<?>) reader, rowGroups);
    reader.enableReturningBatches();
    return reader;
  }

  private SparkReader(Context c) {
    super(
        c.calendars.convertTz(),
        c.calendars.datetimeMode(),
        c.calendars.datetimeZone(),
        c.calendars.int96Mode(),
        c.calendars.int96Zone(),
        c.offHeap,
        c.batchRows);
  }

  /** The leaf columns to feed: those in the file. */
  List<ColumnDescriptor> leaves() {
    return requestedSchema.getColumns().stream()
        .filter(c -> fileSchema.containsPath(c.getPath()))
        .toList();
  }

  /** The vector that receives each batch. */
  WritableColumnVector vector() {
    return (WritableColumnVector) resultBatch().column(0);
  }

  /** Reads {@code next} after all earlier rows, which must have been read to their end. */
  void start(PageReadStore next) {
    pages = next;
    totalRowCount += next.getRowCount();
  }

  /**
   * Reads the next rows into {@link #vector}; returns how many, 0 at the end of the started rows.
   */
  int read() throws IOException {
    return nextBatch() ? resultBatch().numRows() : 0;
  }
}
