package latebloom.compile
import org.scalatest.funsuite.AnyFunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
class ScratchSuite extends AnyFunSuite {
  test("cost") {
    val a = AttributeReference("a", StringType)(); val b = AttributeReference("b", StringType)()
    val p = CatalystPredicate(And(LessThan(Length(Concat(Seq(a, b))), Literal(30)), EqualTo(Upper(a), Concat(Seq(b, Literal("x"))))), Seq(a, b))
    val row = InternalRow(org.apache.spark.unsafe.types.UTF8String.fromString("A"), org.apache.spark.unsafe.types.UTF8String.fromString("b"))
    for (_ <- 1 to 10) {
      val t = System.nanoTime
      for (_ <- 1 to 500) p.cursor.test(row)
      println("COST us " + (System.nanoTime - t) / 500000.0)
    }
  }
}
