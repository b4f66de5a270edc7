// SPDX-License-Identifier: Apache-2.0

ThisBuild / organization := "io.github.latebloom"
ThisBuild / version := "0.1.0-SNAPSHOT"
ThisBuild / scalaVersion := "2.13.17"
ThisBuild / licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0"))
ThisBuild / semanticdbEnabled := true
// The scalameta that knows this Scala patch release; scalafix's own default may be older.
ThisBuild / semanticdbVersion := "4.13.10"

val sparkVersion = "4.1.3"

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

lazy val latebloom = project
  .in(file("jvm"))
  .settings(
    name := "latebloom-spark",
    // Spark itself is never packed: the jar has no dependency that a Spark 4.1 does not bring.
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % sparkVersion % Provided,
      "org.scalatest" %% "scalatest" % "3.2.19" % Test,
      "org.apache.spark" %% "spark-sql" % sparkVersion % Test classifier "tests",
      "org.apache.spark" %% "spark-catalyst" % sparkVersion % Test classifier "tests",
      "org.apache.spark" %% "spark-core" % sparkVersion % Test classifier "tests",
      "org.apache.spark" %% "spark-common-utils" % sparkVersion % Test classifier "tests"
    ),
    Compile / scalacOptions ++= Seq(
      "-deprecation",
      "-feature",
      "-unchecked",
      "-Wunused:imports",
      "-release:17"
    ),
    Compile / javacOptions ++= Seq("--release", "17", "-Xlint:all,-processing,-serial", "-Werror"),
    Compile / doc / javacOptions := Nil,
    Test / unmanagedSourceDirectories := Seq((ThisBuild / baseDirectory).value / "tests" / "jvm"),
    Test / fork := true,
    Test / baseDirectory := (ThisBuild / baseDirectory).value,
    Test / javaOptions ++= sparkJvmOptions :+ "-Dlog4j2.configurationFile=conf/log4j2.properties",
    Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oD"),
    Test / parallelExecution := false,
    // The wheel carries the jar: `package` also leaves it where the Python package looks for it.
    Compile / packageBin := {
      val jar = (Compile / packageBin).value
      val target = (ThisBuild / baseDirectory).value / "python" / "latebloom" / "jars"
      IO.delete(target)
      IO.copyFile(jar, target / s"latebloom-spark_${scalaBinaryVersion.value}-${version.value}.jar")
      jar
    }
  )

lazy val bench = project
  .in(file("jvm/bench"))
  .dependsOn(latebloom % "compile->compile;compile->provided")
  .enablePlugins(JmhPlugin)
  .settings(
    name := "latebloom-bench",
    // A dependency of Spark's asks for a newer scala-library than the compiler; all of this is Java.
    allowUnsafeScalaLibUpgrade := true,
    publish / skip := true,
    libraryDependencies += "org.apache.spark" %% "spark-sql" % sparkVersion,
    Jmh / javaOptions ++= sparkJvmOptions
  )

lazy val root = project
  .in(file("."))
  .aggregate(latebloom)
  .settings(name := "latebloom", publish / skip := true)
