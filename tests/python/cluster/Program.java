// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/**
 * Asks a query with LateBloom off and on: {@code Program TABLES QUERY REPORT}. The report has a line
 * for each answer, and then the plan with LateBloom.
 */
public final class Program {
  public static void main(String[] args) throws IOException {
    SparkSession spark = SparkSession.builder().getOrCreate();
    for (String table : List.of("fact", "dim")) {
      spark.read().parquet(args[0] + "/" + table).createOrReplaceTempView(table);
    }
    String off = answer(spark, args[1], false);
    String on = answer(spark, args[1], true);
    String plan = spark.sql("EXPLAIN " + args[1]).first().getString(0);
    Path whole = Path.of(args[2]);
    Path written = Files.writeString(Path.of(args[2] + ".part"), off + "\n" + on + "\n" + plan);
    Files.move(written, whole, StandardCopyOption.ATOMIC_MOVE);
    spark.stop();
  }

  private static String answer(SparkSession spark, String query, boolean enabled) {
    spark.conf().set("spark.latebloom.enabled", Boolean.toString(enabled));
    return spark.sql(query).collectAsList().toString();
  }
}
