// SPDX-License-Identifier: Apache-2.0
package latebloom.fuzz.queries

object Main {
  def main(args: Array[String]): Unit = println(args.mkString(" "))
}
