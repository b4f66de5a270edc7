// SPDX-License-Identifier: Apache-2.0

import java.io.FileOutputStream
import java.util.zip.{Deflater, ZipEntry, ZipFile, ZipOutputStream}

import scala.util.Using

ThisBuild / organization := "io.github.latebloom"
// The version stands in the Python package; its 0.1.0.dev0 is Maven's 0.1.0-SNAPSHOT.
ThisBuild / version := {
  val file = (ThisBuild / baseDirectory).value / "python" / "latebloom" / "__init__.py"
  val found = "__version__ = \"([^\"]+)\"".r.findFirstMatchIn(IO.read(file))
  found.getOrElse(sys.error(s"$file: no __version__")).group(1).replaceAll(
    "\\.dev\\d+$",
    "-SNAPSHOT"
  )
}
ThisBuild / scalaVersion := "2.13.17"
ThisBuild / licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0"))
ThisBuild / semanticdbEnabled := true
// The scalameta that knows this Scala patch release; scalafix's own default may be older.
ThisBuild / semanticdbVersion := "4.13.10"

val sparkVersion = "4.1.3"
val sparkLine = sparkVersion.split('.').take(2).mkString(".")

ThisBuild / scalacOptions ++= Seq(
  "-deprecation",
  "-feature",
  "-unchecked",
  "-Wunused:imports",
  "-Werror",
  "-release:17"
)
ThisBuild / javacOptions ++= Seq("--release", "17", "-Xlint:all,-processing,-serial", "-Werror")

// Spark reflects on JDK internals; the same list stands in its JavaModuleOptions.
val sparkJvmOptions = Seq(
  "java.lang",
  "java.lang.invoke",
  "java.lang.reflect",
  "java.io",
  "java.net",
  "java.nio",
  "java.util",
  "java.util.concurrent",
  "java.util.concurrent.atomic",
  "sun.nio.ch",
  "sun.nio.cs",
  "sun.security.action",
  "sun.util.calendar"
).map(p => s"--add-opens=java.base/$p=ALL-UNNAMED") ++ Seq(
  "-Djdk.reflect.useDirectMethodHandle=false",
  "-Xmx3g"
)

// A wheel deflates what it carries: a jar that is not deflated yet by a quarter better, as a whole.
def copyStored(jar: File, to: File): Unit =
  Using.resources(new ZipFile(jar), new ZipOutputStream(new FileOutputStream(to))) { (in, out) =>
    out.setLevel(Deflater.NO_COMPRESSION)
    in.stream.forEachOrdered { entry =>
      val copy = new ZipEntry(entry.getName)
      copy.setTime(entry.getTime)
      out.putNextEntry(copy)
      IO.transfer(in.getInputStream(entry), out)
    }
  }

lazy val latebloom = project
  .in(file("jvm"))
  .settings(
    name := s"latebloom-spark-$sparkLine",
    // Spark itself is never packed: the jar has no dependency that a Spark 4.1 does not bring.
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % sparkVersion % Provided,
      "org.scalatest" %% "scalatest" % "3.2.19" % Test,
      "org.apache.spark" %% "spark-sql" % sparkVersion % Test classifier "tests",
      "org.apache.spark" %% "spark-catalyst" % sparkVersion % Test classifier "tests",
      "org.apache.spark" %% "spark-core" % sparkVersion % Test classifier "tests",
      "org.apache.spark" %% "spark-common-utils" % sparkVersion % Test classifier "tests"
    ),
    Compile / doc / scalacOptions -= "-Werror",
    // Scaladoc's view of Java sources does not see what is private to Spark; of classes it does.
    Compile / doc / sources ~= (_.filter(_.getName.endsWith(".scala"))),
    Compile / doc / dependencyClasspath ++= (Compile / exportedProducts).value,
    description := "Selective scans and join filters for Apache Spark: a Catalyst extension.",
    // dev/release uploads from there.
    publishTo := Some(MavenCache("dist", (ThisBuild / baseDirectory).value / "dist" / "maven")),
    Compile / packageBin / mappings ++= Seq("LICENSE", "NOTICE").map { name =>
      (ThisBuild / baseDirectory).value / name -> s"META-INF/$name"
    },
    // Scala's parser of Java takes subclasses in other files for strangers to a sealed class, now and
    // then: it goes by the order of the files. No Java here asks for Scala.
    Compile / compileOrder := CompileOrder.JavaThenScala,
    Test / unmanagedSourceDirectories := Seq((ThisBuild / baseDirectory).value / "tests" / "jvm"),
    // The test kit depends on this project, so that only its classes can be named here.
    Test / internalDependencyClasspath ++=
      (LocalProject("testkit") / Compile / exportedProducts).value,
    Test / fork := true,
    Test / baseDirectory := (ThisBuild / baseDirectory).value,
    Test / javaOptions ++= sparkJvmOptions :+ "-Dlog4j2.configurationFile=conf/log4j2.properties",
    Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oD"),
    Test / parallelExecution := false,
    // The wheel carries the jar: `package` also leaves it where the Python package looks for it.
    Compile / packageBin := {
      val jar = (Compile / packageBin).value
      val target = (ThisBuild / baseDirectory).value / "python" / "latebloom" / "jars"
      val stem = s"${name.value}_${scalaBinaryVersion.value}-"
      IO.delete((target * s"$stem*.jar").get())
      IO.createDirectory(target)
      copyStored(jar, target / s"$stem${version.value}.jar")
      jar
    }
  )

// What tests, fuzzers and benchmarks share; it is no part of the product.
lazy val testkit = project
  .in(file("jvm/testkit"))
  .dependsOn(latebloom % "compile->compile;compile->provided")
  .settings(
    name := "latebloom-testkit",
    publish / skip := true,
    dependencyOverrides += "org.scala-lang" % "scala-library" % scalaVersion.value
  )

// JMH beside Spark's own code: see dev/bench.
lazy val bench = project
  .in(file("jvm/bench"))
  .dependsOn(testkit)
  .enablePlugins(JmhPlugin)
  .settings(
    name := "latebloom-bench",
    // A dependency of Spark's asks for a newer scala-library than the compiler; all of this is Java.
    allowUnsafeScalaLibUpgrade := true,
    publish / skip := true,
    libraryDependencies += "org.apache.spark" %% "spark-sql" % sparkVersion,
    Jmh / javaOptions ++= sparkJvmOptions
  )

val stage =
  taskKey[File]("Writes the java options that run a project's main classes, class path included")

def javaArgs(target: File, classPath: Seq[File], options: Seq[String]): File = {
  val file = target / "java-args"
  val path = classPath.mkString(java.io.File.pathSeparator)
  IO.writeLines(file, options ++ Seq("-cp", "\"" + path + "\""))
  file
}

// Many short queries, each with classes of its own: the optimising compiler never pays.
val manyShortQueries = Seq(
  "-XX:TieredStopAtLevel=1",
  // That compiler's own is too small for Spark: when it is full, no more is compiled.
  "-XX:ReservedCodeCacheSize=512m",
  "-Dspark.ui.enabled=false",
  "-Dspark.ui.showConsoleProgress=false"
)

// Spark's own suites with the extension attached: see dev/spark-suites.
lazy val sparkSuites = Project("spark-suites", file("tests/spark-suites"))
  .dependsOn(latebloom)
  .settings(
    publish / skip := true,
    // A Jackson module asks for a newer Scala library than the one Spark itself ships.
    dependencyOverrides += "org.scala-lang" % "scala-library" % scalaVersion.value,
    libraryDependencies ++= Seq("sql", "sql-api", "catalyst", "core", "common-utils", "tags").map(
      m => "org.apache.spark" %% s"spark-$m" % sparkVersion classifier "tests"
    ) ++ Seq(
      "org.apache.spark" %% "spark-sql" % sparkVersion,
      "org.scalatest" %% "scalatest" % "3.2.19",
      "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0",
      "org.scalatestplus" %% "mockito-5-12" % "3.2.19.0"
    ),
    stage := {
      val unpacked = target.value / "spark"
      // The suites open their test data as files, so a jar on the class path is not enough.
      val entries = (Runtime / fullClasspath).value.files.map {
        case jar if jar.getName.endsWith("-tests.jar") =>
          val dir = unpacked / jar.base
          if (!dir.exists) IO.unzip(jar, dir)
          dir
        case other => other
      }
      val options = sparkJvmOptions ++ manyShortQueries ++ Seq(
        "-ea",
        "-Xss4m",
        s"-Dlog4j2.configurationFile=${baseDirectory.value / "log4j2.properties"}",
        "-Dspark.testing=1",
        "-Dspark.unsafe.exceptionOnMemoryLeak=true",
        "-Dspark.memory.debugFill=true",
        "-Dspark.hadoop.hadoop.security.key.provider.path=test:///",
        "-Dderby.system.durability=test"
      )
      javaArgs(target.value, entries, options)
    }
  )

// Random queries and damaged files, off against on: see dev/fuzz.
lazy val fuzz = project
  .in(file("tests/fuzz"))
  .dependsOn(testkit)
  .settings(
    publish / skip := true,
    dependencyOverrides += "org.scala-lang" % "scala-library" % scalaVersion.value,
    libraryDependencies += "org.apache.spark" %% "spark-sql" % sparkVersion,
    Compile / unmanagedSourceDirectories ++=
      Seq("queries", "files", "faults").map(baseDirectory.value / _),
    stage := {
      val log = (ThisBuild / baseDirectory).value / "conf" / "log4j2.properties"
      val options = sparkJvmOptions ++ manyShortQueries :+ s"-Dlog4j2.configurationFile=$log"
      javaArgs(target.value, (Runtime / fullClasspath).value.files, options)
    }
  )

lazy val root = project
  .in(file("."))
  .aggregate(latebloom)
  .settings(name := "latebloom", publish / skip := true)

// All that dev/check compiles and looks at.
lazy val all = project
  .in(file("target/all"))
  .aggregate(latebloom, testkit, bench, sparkSuites, fuzz)
  .settings(publish / skip := true)
