// SPDX-License-Identifier: Apache-2.0

import java.io.File

import sbt._

/** A line of Spark that the jar is built for, one at a time: `dev/sbt --spark 3.5 --scala 2.12`.
  *
  * @param name
  *   the line: what its patch releases have in common
  * @param spark
  *   the release that is compiled against, the newest that Maven Central has
  * @param scala
  *   the release of Scala that this Spark itself brings
  * @param inMaven
  *   false where Maven Central has no release of the line yet: the jars are then PySpark's
  */
final case class SparkLine(name: String, spark: String, scala: String, inMaven: Boolean = true) {

  /** The release whose test jars the tests stand on. */
  def tests: String = if (inMaven) spark else SparkLine.all.filter(_.inMaven).last.spark

  val scalaLine: String = scala.split('.').take(2).mkString(".")

  /** As it stands in names of folders and artifacts. */
  def id: String = s"${name}_$scalaLine"

  /** Options that the Scala compilers spell in their own ways. */
  def options(java: Int): Seq[String] = Seq(
    if (scalaLine == "2.12") "-Ywarn-unused:imports" else "-Wunused:imports"
  ) ++ (if (name == "3.5") Seq("-release", s"$java") else Seq(s"-release:$java"))

  def isDefault: Boolean = this == SparkLine.default

  /** The newest Delta Lake that Maven Central has for the line, without Scala's version: for tests.
    * None where it has none yet.
    */
  def delta: Option[(String, String)] = name match {
    case "3.5" => Some(("delta-spark", "3.3.3"))
    case "4.3" => None
    case _     => Some((s"delta-spark_$name", "4.4.0"))
  }

  /** The newest Apache Iceberg that Maven Central has for all of its lines, for tests. */
  def iceberg: Option[String] = name match {
    case "4.2" | "4.3" => None
    case _             => Some("1.11.0")
  }

  /** Where a project's compiled classes go: no line overwrites those of another. */
  def target(project: File): File =
    if (isDefault) project / "target" else project / "target" / s"spark-$id"

  /** The folders of `jvm` whose sources this line is compiled with, beside those of all lines:
    * `spark-4.1`, `spark-4.0+` (from 4.0 on), `spark-3.5-4.0` (from 3.5 to 4.0), `scala-2.12`.
    */
  def shims(jvm: File): Seq[File] =
    IO.listFiles(jvm).toSeq.sorted.filter(folder => isShim(folder.getName))

  private def isShim(folder: String): Boolean = folder match {
    case SparkLine.One(only)         => only == name
    case SparkLine.From(first)       => SparkLine.position(first) <= here
    case SparkLine.Range(first, end) =>
      SparkLine.position(first) <= here && here <= SparkLine.position(end)
    case _ => folder == s"scala-$scalaLine"
  }

  private def here = SparkLine.position(name)

  /** What PySpark of this line has in its folder of jars: beside the checkout's own environment. */
  def jars(root: File): Seq[File] = {
    val venv = if (isDefault) ".venv" else s".venv-$name"
    val found = ((root / venv) ** "pyspark" / "jars" * "*.jar").get
    if (found.isEmpty)
      sys.error(s"no jars of PySpark $spark in $venv: run ./dev/sbt --spark $name")
    found
  }
}

object SparkLine {
  val all: Seq[SparkLine] = Seq(
    SparkLine("3.5", "3.5.9", "2.12.18"),
    SparkLine("3.5", "3.5.9", "2.13.8"),
    SparkLine("4.0", "4.0.4", "2.13.16"),
    SparkLine("4.1", "4.1.3", "2.13.17"),
    SparkLine("4.2", "4.2.0", "2.13.18"),
    SparkLine("4.3", "4.3.0", "2.13.18", inMaven = false)
  )

  val default: SparkLine = all.find(_.name == "4.1").get

  /** The line that the command line names, else the default. */
  lazy val chosen: SparkLine = {
    val name = sys.props.getOrElse("latebloom.spark", default.name)
    val scala = sys.props.getOrElse("latebloom.scala", "2.13")
    all
      .find(line => line.name == name && line.scalaLine == scala)
      .getOrElse(sys.error(
        s"no line $name with Scala $scala; there are ${all.map(_.id).mkString(", ")}"
      ))
  }

  private val One = """spark-(\d+\.\d+)""".r
  private val From = """spark-(\d+\.\d+)\+""".r
  private val Range = """spark-(\d+\.\d+)-(\d+\.\d+)""".r

  private def position(line: String): Int = all.indexWhere(_.name == line) match {
    case -1 => sys.error(s"no line $line of Spark")
    case i  => i
  }
}
