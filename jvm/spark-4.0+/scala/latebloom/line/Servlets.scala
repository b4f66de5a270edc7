// SPDX-License-Identifier: Apache-2.0
package latebloom.line

/** The interface of servlets that Spark's UI is written for. */
object Servlets {
  type Request = jakarta.servlet.http.HttpServletRequest
}
