// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

final case class Options(
    seed: Long,
    from: Int = 0,
    queries: Option[Int] = None,
    minutes: Option[Double] = None,
    threads: Int = 2,
    shrink: Int = 10,
    stopAfter: Int = Int.MaxValue,
    broadcastThreads: Int = 2,
    timeout: Int = 30,
    show: Boolean = false,
    trees: Boolean = false,
    junit: Option[String] = None
)

object Options {
  private val help =
    """--seed N              the seed; a random one if not given, printed in any case
      |--queries N           how many queries
      |--minutes M           and for how long at most (1, if their number is not given)
      |--first N             begins at this query, to go on with a run that was ended
      |--trees               trees of joins only, half of them with adaptive execution, their keys early or late
      |--case SEED:INDEX     one case again; prints its query and its tables
      |--threads N           queries at a time (2)
      |--shrink N            findings to make smaller (10)
      |--stop-after N        findings to end after
      |--broadcast-threads N threads of Spark's pool for broadcasts (2)
      |--timeout SECONDS     that a query may take before it counts as hanging (30)
      |--junit FILE          writes a report of one test case""".stripMargin

  def parse(args: Seq[String]): Options = {
    def go(left: List[String], o: Options): Options = left match {
      case Nil                                 => o
      case "--seed" :: v :: rest               => go(rest, o.copy(seed = v.toLong))
      case "--queries" :: v :: rest            => go(rest, o.copy(queries = Some(v.toInt)))
      case "--minutes" :: v :: rest            => go(rest, o.copy(minutes = Some(v.toDouble)))
      case "--first" :: v :: rest              => go(rest, o.copy(from = v.toInt))
      case "--threads" :: v :: rest            => go(rest, o.copy(threads = v.toInt))
      case "--shrink" :: v :: rest             => go(rest, o.copy(shrink = v.toInt))
      case "--stop-after" :: v :: rest         => go(rest, o.copy(stopAfter = v.toInt))
      case "--broadcast-threads" :: v :: rest  => go(rest, o.copy(broadcastThreads = v.toInt))
      case "--timeout" :: v :: rest            => go(rest, o.copy(timeout = v.toInt))
      case "--trees" :: rest                   => go(rest, o.copy(trees = true))
      case "--junit" :: v :: rest              => go(rest, o.copy(junit = Some(v)))
      case "--case" :: s"$seed:$index" :: rest =>
        go(
          rest,
          o.copy(
            seed = seed.toLong,
            from = index.toInt,
            queries = Some(1),
            threads = 1,
            show = true
          )
        )
      case other =>
        if (!other.contains("--help")) System.err.println(s"unknown: ${other.head}")
        println(help)
        sys.exit(if (other.contains("--help")) 0 else 2)
    }
    go(args.toList, Options(System.nanoTime() & 0xffffffL))
  }
}
