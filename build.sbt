// SPDX-License-Identifier: Apache-2.0

import java.io.FileOutputStream
import java.util.zip.{Deflater, ZipEntry, ZipFile, ZipOutputStream}

import scala.util.Using

ThisBuild / organization := "io.github.latebloom"
// The Python package has the version; its 0.1.0.dev0 is Maven's 0.1.0-SNAPSHOT.
ThisBuild / version := {
  val file = (ThisBuild / baseDirectory).value / "python" / "latebloom" / "__init__.py"
  val found = "__version__ = \"([^\"]+)\"".r.findFirstMatchIn(IO.read(file))
  found.getOrElse(sys.error(s"$file: no __version__")).group(1).replaceAll(
    "\\.dev\\d+$",
    "-SNAPSHOT"
  )
}
// The line of Spark that is built for: see dev/sbt.
val line = SparkLine.chosen

ThisBuild / scalaVersion := line.scala
ThisBuild / licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0"))
// scalafix looks at the default line; not every line's Scala has a scalameta.
ThisBuild / semanticdbEnabled := line.isDefault
// The scalameta that knows this Scala patch release; scalafix's own default may be older.
ThisBuild / semanticdbVersion := "4.13.10"

ThisBuild / scalacOptions ++= Seq(
  "-deprecation",
  "-feature",
  "-unchecked",
  "-Werror"
) ++ line.options(java = 17)
ThisBuild / javacOptions ++= Seq("--release", "17", "-Xlint:all,-processing,-serial", "-Werror")

// Spark reflects on JDK internals; its JavaModuleOptions has the same list.
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

// For many short queries, each with its own classes: the optimising compiler never pays, and nearly all garbage is young.
val forShortQueries = Seq(
  "-XX:TieredStopAtLevel=1",
  "-XX:+UseSerialGC",
  "-Xmn800m",
  // The default code cache is too small for Spark: when it is full, compilation stops.
  "-XX:ReservedCodeCacheSize=512m"
)

// Which tests share a JVM, by the part of the product. Two run at a time, in this order, in which both end at about the
// same time.
val testGroups = Seq("files", "joins", "plans", "delta", "iceberg")

def testGroup(suite: String): String = suite.split('.').toSeq.drop(1) match {
  case Seq("tables", name)          => if (name.startsWith("Delta")) "delta" else "iceberg"
  case Seq("join" | "joinkeys", _*) => "joins"
  case Seq("rules" | "topk" | "toprows" | "cache" | "compile", _*) => "plans"
  case _                                                           => "files"
}

Global / concurrentRestrictions := Seq(
  Tags.limitAll(math.max(2, sys.runtime.availableProcessors)),
  Tags.limit(Tags.ForkedTestGroup, 2),
  Tags.exclusiveGroup(Tags.Clean)
)

// Of what the files say, wherever the checkout lies.
def digest(files: Seq[File], root: File): String = {
  val said = files.map(f => IO.relativize(root, f).getOrElse(f.getName) + "\n" + IO.read(f))
  sbt.io.Hash.toHex(sbt.io.Hash(said.sorted.mkString)).take(12)
}

// A wheel deflates its content: an uncompressed jar, deflated as a whole, is a quarter smaller.
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

// The POM with one more dependency, which the application provides.
def withProvided(pom: scala.xml.Node, module: ModuleID): scala.xml.Node = pom match {
  case project: scala.xml.Elem =>
    val dependency =
      <dependency>
        <groupId>{module.organization}</groupId>
        <artifactId>{module.name}</artifactId>
        <version>{module.revision}</version>
        <scope>provided</scope>
      </dependency>
    project.copy(child = project.child.map {
      case all: scala.xml.Elem if all.label == "dependencies" =>
        all.copy(child = all.child ++ dependency)
      case other => other
    })
  case other => other
}

// A line that is not in Maven Central is compiled with PySpark's jars. Its POM names Spark all the same.
def sparkOf(scope: Configuration): Seq[Setting[_]] =
  if (line.inMaven)
    Seq(libraryDependencies += "org.apache.spark" %% "spark-sql" % line.spark % scope)
  else Seq(
    Compile / unmanagedJars ++= line.jars((ThisBuild / baseDirectory).value).classpath,
    pomPostProcess :=
      (withProvided(_, "org.apache.spark" % s"spark-sql_${line.scalaLine}" % line.spark))
  )

lazy val latebloom = project
  .in(file("jvm"))
  .settings(sparkOf(Provided))
  .settings(
    name := s"latebloom-spark-${line.name}",
    target := line.target(baseDirectory.value),
    // What differs between lines: one folder a line, or a run of lines.
    Compile / unmanagedSourceDirectories ++=
      line.shims(baseDirectory.value).flatMap(f => Seq(f / "java", f / "scala")),
    // Which line a jar is for is known to the jar. Constants: nothing is loaded to look them up.
    Compile / sourceGenerators += Def.task {
      val file = (Compile / sourceManaged).value / "BuiltFor.scala"
      def constants(in: String) = s"""package $in {
        |  private[latebloom] object BuiltFor {
        |    final val spark = "${line.name}"
        |    final val scala = "${line.scalaLine}"
        |  }
        |}
        |""".stripMargin
      // For those who look into the jar, and for its own code, which imports nothing of `latebloom`.
      val source = constants("latebloom") + constants("latebloom.line")
      if (!file.exists || IO.read(file) != source) IO.write(file, source)
      Seq(file)
    },
    // Driver and executors compare which build they have.
    Compile / resourceGenerators += Def.task {
      val file = (Compile / resourceManaged).value / "latebloom" / "build.txt"
      val sources = digest((Compile / unmanagedSources).value, (ThisBuild / baseDirectory).value)
      val id =
        s"${version.value} for Spark ${line.name}, Scala ${line.scalaLine} (sources $sources)\n"
      if (!file.exists || IO.read(file) != id) IO.write(file, id)
      Seq(file)
    },
    // Spark itself is never packed: the jar has no dependency that Spark lacks.
    libraryDependencies ++= Seq(
      "org.scalatest" %% "scalatest" % "3.2.19" % Test,
      "org.apache.spark" %% "spark-sql" % line.tests % Test classifier "tests",
      "org.apache.spark" %% "spark-catalyst" % line.tests % Test classifier "tests",
      "org.apache.spark" %% "spark-core" % line.tests % Test classifier "tests",
      "org.apache.spark" %% "spark-common-utils" % line.tests % Test classifier "tests"
    ),
    // The adapters find the classes of table formats by name where they are: only tests have them.
    libraryDependencies ++= line.delta.toSeq.map { case (artifact, version) =>
      ("io.delta" %% artifact % version % Test).excludeAll(ExclusionRule("org.apache.hadoop"))
    },
    libraryDependencies ++= line.iceberg.toSeq.map(v =>
      "org.apache.iceberg" %% s"iceberg-spark-runtime-${line.name}" % v % Test
    ),
    // Stack traces need the lines; the names of local variables are a tenth of the classes.
    Compile / scalacOptions += "-g:line",
    Compile / doc / scalacOptions --= Seq("-Werror", "-g:line"),
    // Scaladoc cannot see members private to Spark through Java sources, only through classes.
    Compile / doc / sources ~= (_.filter(_.getName.endsWith(".scala"))),
    Compile / doc / dependencyClasspath ++= (Compile / exportedProducts).value,
    description := "Selective scans and join filters for Apache Spark: a Catalyst extension.",
    // dev/release uploads from there.
    publishTo := Some(MavenCache("dist", (ThisBuild / baseDirectory).value / "dist" / "maven")),
    Compile / packageBin / mappings ++= Seq("LICENSE", "NOTICE").map { name =>
      (ThisBuild / baseDirectory).value / name -> s"META-INF/$name"
    },
    // Scala's parser of Java sometimes rejects subclasses of a sealed class in other files, by the
    // order of the files. No Java code here uses Scala code.
    Compile / compileOrder := CompileOrder.JavaThenScala,
    Test / unmanagedSourceDirectories := {
      val tests = (ThisBuild / baseDirectory).value / "tests"
      tests / "jvm" +: line.shims(tests)
    },
    // The test kit depends on this project, so only its classes can be used here.
    Test / internalDependencyClasspath ++=
      (LocalProject("testkit") / Compile / exportedProducts).value,
    Test / fork := true,
    Test / baseDirectory := (ThisBuild / baseDirectory).value,
    Test / javaOptions ++= sparkJvmOptions ++ forShortQueries :+
      "-Dlog4j2.configurationFile=conf/log4j2.properties",
    Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oD"),
    // One suite at a time in each JVM; two JVMs at a time, since most of a test is planning, which
    // keeps one core busy.
    Test / parallelExecution := true,
    Test / testForkedParallel := false,
    Test / testGrouping := {
      val fork = (Test / forkOptions).value
      (Test / definedTests).value.groupBy(t => testGroup(t.name)).toSeq
        .sortBy { case (name, _) => testGroups.indexOf(name) }.map {
          case (name, tests) => Tests.Group(name, tests, Tests.SubProcess(fork))
        }
    },
    // The wheel carries the jar: `package` also leaves it where the Python package looks for it.
    Compile / packageBin := {
      val jar = (Compile / packageBin).value
      val target = (ThisBuild / baseDirectory).value / "python" / "latebloom" / "jars"
      val ofLine = s"${name.value}_${scalaBinaryVersion.value}-"
      IO.createDirectory(target)
      // Beside it lie those of other lines.
      IO.delete(IO.listFiles(target).filter(_.getName.startsWith(ofLine)))
      copyStored(jar, target / s"$ofLine${version.value}.jar")
      jar
    }
  )

// Code that tests, fuzzers and benchmarks share, outside the product.
lazy val testkit = project
  .in(file("jvm/testkit"))
  .dependsOn(latebloom % "compile->compile;compile->provided")
  .settings(
    name := "latebloom-testkit",
    // Scala 2.12 does not parse records. No Java here asks for Scala.
    Compile / compileOrder := CompileOrder.JavaThenScala,
    target := line.target(baseDirectory.value),
    Compile / unmanagedSourceDirectories ++=
      line.shims(baseDirectory.value).flatMap(f => Seq(f / "java", f / "scala")),
    publish / skip := true,
    dependencyOverrides += "org.scala-lang" % "scala-library" % scalaVersion.value
  )

// JMH beside Spark's own code: see dev/bench.
lazy val bench = project
  .in(file("jvm/bench"))
  .dependsOn(testkit)
  .enablePlugins(JmhPlugin)
  .settings(sparkOf(Compile))
  .settings(
    target := line.target(baseDirectory.value),
    name := "latebloom-bench",
    // A dependency of Spark needs a newer scala-library than the compiler; all of this is Java.
    allowUnsafeScalaLibUpgrade := true,
    publish / skip := true,
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

val forShortQueriesWithoutUi =
  forShortQueries ++ Seq("-Dspark.ui.enabled=false", "-Dspark.ui.showConsoleProgress=false")

// Modules of tests need a newer Scala than the one that Spark ships.
val sparksScala = dependencyOverrides ++= Seq("scala-library", "scala-reflect", "scala-compiler")
  .map("org.scala-lang" % _ % scalaVersion.value)

// Spark's own suites with the extension attached: see dev/spark-suites.
lazy val sparkSuites = Project("spark-suites", file("tests/spark-suites"))
  .dependsOn(latebloom)
  .settings(sparkOf(Compile))
  .settings(
    target := line.target(baseDirectory.value),
    publish / skip := true,
    sparksScala,
    libraryDependencies ++= Seq("sql", "sql-api", "catalyst", "core", "common-utils", "tags").map(
      m => "org.apache.spark" %% s"spark-$m" % line.tests classifier "tests"
    ) ++ Seq(
      "org.scalatest" %% "scalatest" % "3.2.19",
      "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0",
      "org.scalatestplus" %% "mockito-5-12" % "3.2.19.0",
      "org.junit.platform" % "junit-platform-launcher" % "1.14.3"
    ),
    Compile / unmanagedSourceDirectories += (LocalProject("iceberg-suites") / baseDirectory).value,
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
      val options = sparkJvmOptions ++ forShortQueriesWithoutUi ++ Seq(
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

// Iceberg's own tests with the extension attached: see dev/iceberg-suites.
lazy val icebergSuites = Project("iceberg-suites", file("tests/iceberg-suites"))
  .dependsOn(sparkSuites)
  .settings(sparkOf(Provided))
  .settings(
    target := line.target(baseDirectory.value),
    publish / skip := true,
    sparksScala,
    // Its code is compiled above, so that to compile everything does not fetch all of Iceberg.
    sourcesInBase := false,
    Compile / unmanagedSourceDirectories := Nil,
    Compile / resourceDirectory := baseDirectory.value / "resources",
    libraryDependencies ++= line.iceberg.toSeq.flatMap { version =>
      val ofSpark = Seq("spark", "spark-extensions").map(m => s"iceberg-$m-${line.id}")
      val libraries = Seq("api", "common", "core", "data", "parquet", "orc", "hive-metastore")
      val modules =
        (ofSpark ++ libraries.map("iceberg-" + _)).map("org.apache.iceberg" % _ % version)
      val server = "org.apache.iceberg" % "iceberg-open-api" % version
      (modules ++ modules.map(_ classifier "tests") ++ Seq(
        server classifier "tests",
        server classifier "test-fixtures",
        "org.apache.iceberg" % "iceberg-parquet" % version classifier "test-fixtures"
      )).map(_.excludeAll(ExclusionRule("org.apache.spark"), ExclusionRule("org.apache.hadoop")))
    },
    // What Iceberg's build has beside them.
    libraryDependencies ++= Seq(
      "org.junit.jupiter" % "junit-jupiter" % "5.14.3",
      "org.assertj" % "assertj-core" % "3.27.7",
      "org.awaitility" % "awaitility" % "4.3.0",
      "org.mockito" % "mockito-junit-jupiter" % "4.11.0",
      "org.xerial" % "sqlite-jdbc" % "3.51.1.0",
      "org.eclipse.jetty" % "jetty-server" % "12.1.5",
      "org.eclipse.jetty.ee10" % "jetty-ee10-servlet" % "12.1.5",
      "org.eclipse.jetty.compression" % "jetty-compression-server" % "12.1.5",
      "org.eclipse.jetty.compression" % "jetty-compression-gzip" % "12.1.5"
    ),
    stage := {
      // Spark is PySpark's, which has Hive's classes; of the libraries that both have, the tests need
      // Iceberg's versions. Spark's tests are no part of it.
      val managed = (Runtime / fullClasspath).value.files.filterNot(_.getName.matches("spark-.*"))
      val ofSpark = line.jars((ThisBuild / baseDirectory).value)
      def artifact(jar: File) = jar.getName.replaceFirst("-\\d.*", "")
      val theirs = managed.map(artifact).toSet
      val entries = managed ++ ofSpark.filterNot(jar => theirs(artifact(jar)))
      val version =
        line.iceberg.getOrElse(
          sys.error(s"Maven Central has no Iceberg for Spark ${line.name} yet")
        )
      val options = sparkJvmOptions ++ forShortQueriesWithoutUi ++ Seq(
        s"-Dlatebloom.suites.version=$version",
        s"-Dlog4j2.configurationFile=${(sparkSuites / baseDirectory).value / "log4j2.properties"}"
      )
      javaArgs(target.value, entries, options)
    }
  )

// Random queries and damaged files, off against on: see dev/fuzz.
lazy val fuzz = project
  .in(file("tests/fuzz"))
  .dependsOn(testkit)
  .settings(sparkOf(Compile))
  .settings(
    target := line.target(baseDirectory.value),
    publish / skip := true,
    dependencyOverrides += "org.scala-lang" % "scala-library" % scalaVersion.value,
    Compile / unmanagedSourceDirectories ++=
      Seq("queries", "files", "faults").map(baseDirectory.value / _),
    stage := {
      val log = (ThisBuild / baseDirectory).value / "conf" / "log4j2.properties"
      val options =
        sparkJvmOptions ++ forShortQueriesWithoutUi :+ s"-Dlog4j2.configurationFile=$log"
      javaArgs(target.value, (Runtime / fullClasspath).value.files, options)
    }
  )

lazy val root = project
  .in(file("."))
  .aggregate(latebloom)
  .settings(name := "latebloom", publish / skip := true)

// All that dev/check compiles and checks.
lazy val all = project
  .in(file("target/all"))
  .aggregate(latebloom, testkit, bench, sparkSuites, fuzz)
  .settings(publish / skip := true)
