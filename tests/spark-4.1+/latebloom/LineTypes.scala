// SPDX-License-Identifier: Apache-2.0
package latebloom

import org.apache.spark.sql.types.{DataType, TimeType}

/** Types that not all lines have. */
object LineTypes {

  /** A time of day. */
  val time: Option[DataType] = Some(TimeType(6))
}
