// SPDX-License-Identifier: Apache-2.0
package latebloom

import org.apache.spark.sql.types.DataType

/** Types that not all lines have. */
object LineTypes {

  /** There are no times of day. */
  val time: Option[DataType] = None
}
