// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.execution.joinkeys

import java.util.UUID
import java.util.concurrent.{CompletableFuture, ConcurrentHashMap}

import scala.concurrent.duration._
import scala.ref.WeakReference
import scala.util.control.NonFatal

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.internal.Logging
import org.apache.spark.rpc.{RpcCallContext, RpcEndpoint, RpcEnv, RpcTimeout}
import org.apache.spark.sql.latebloom.SharedValue
import org.apache.spark.util.RpcUtils
import org.apache.spark.{SparkContext, SparkEnv}

/** Values that the driver may have only after the tasks that can use them began. An executor asks
  * for one now and then, by an endpoint of the driver, and its tasks work without it until then.
  */
object LateValues {

  /** Empty as long as the value is not known, and None for no value: of Scala's and Spark's classes
    * only, since an RPC may not find those of a jar that was added to the session. The value is
    * serialised by Java, whatever the session's serializer is.
    */
  private type Answer = Seq[Option[Broadcast[Array[Byte]]]]

  // Another class loader may have loaded this object, too.
  private val endpoint = s"latebloom-late-values-${UUID.randomUUID()}"
  private var served = new WeakReference[RpcEnv](null)

  private val promised = new WeakValues[OnDriver]
  private val asked = new WeakValues[Question]

  /** A value on the driver. Tasks can ask for it as long as this object is in use.
    *
    * @param value
    *   None if there will be no value
    */
  final class OnDriver(context: SparkContext, value: CompletableFuture[Option[AnyRef]]) {
    private val id = UUID.randomUUID().toString
    private val sent: CompletableFuture[Option[Broadcast[Array[Byte]]]] =
      value.thenApply(_.map(SharedValue.bytes(_, context)))

    serve(context.env.rpcEnv)
    promised.get(id, this)

    /** The value for tasks. */
    def inTask: InTask = new InTask(endpoint, id)

    private[LateValues] def answer: Answer =
      if (!sent.isDone) Nil else Seq(if (sent.isCompletedExceptionally) None else sent.join())
  }

  /** Gives tasks a value. Thread safe. */
  final class InTask private[LateValues] (endpoint: String, id: String) extends Serializable {
    @transient private lazy val question = asked.get(id, new Question(endpoint, id))

    /** The value if the driver has it by now. */
    def get: Option[AnyRef] =
      question.answer.headOption.flatten.map(SharedValue.value[AnyRef](id, _))
  }

  /** What an executor knows of a value. */
  final private class Question(endpoint: String, id: String) extends Logging {
    private lazy val driver =
      RpcUtils.makeDriverRef(endpoint, SparkEnv.get.conf, SparkEnv.get.rpcEnv)
    private val began = System.nanoTime()
    private var next = began
    @volatile private var known: Answer = Nil

    def answer: Answer = {
      if (known.isEmpty) ask()
      known
    }

    /** Asks less and less often: a scan that ran for a while can as well run a tenth longer. */
    private def ask(): Unit = synchronized {
      val now = System.nanoTime()
      if (known.isEmpty && now - next >= 0) {
        val pause =
          try {
            known = driver.askSync[Answer](id, Question.Timeout)
            ((now - began) / 10).max(Question.Shortest).min(Question.Longest)
          } catch {
            case e: Exception if NonFatal(e) =>
              logInfo("The driver did not answer: the scan goes on without the keys of a join", e)
              Question.AfterFailure
          }
        next = System.nanoTime() + pause
      }
    }
  }

  private object Question {
    val Timeout = new RpcTimeout(2.seconds, "spark.latebloom")

    val Shortest: Long = 20.millis.toNanos
    val Longest: Long = 1.second.toNanos
    val AfterFailure: Long = 30.seconds.toNanos
  }

  private def serve(env: RpcEnv): Unit = synchronized {
    if (!served.get.exists(_ eq env)) {
      env.setupEndpoint(endpoint, new Server(env))
      served = WeakReference(env)
    }
  }

  final private class Server(override val rpcEnv: RpcEnv) extends RpcEndpoint {
    override def receiveAndReply(context: RpcCallContext): PartialFunction[Any, Unit] = {
      case id: String => context.reply(promised.find(id).fold[Answer](Seq(None))(_.answer))
    }
  }

  /** Objects by a name, as long as somebody else uses them. Thread safe. */
  final private class WeakValues[A <: AnyRef] {
    private val values = new ConcurrentHashMap[String, WeakReference[A]]

    def find(name: String): Option[A] = Option(values.get(name)).flatMap(_.get)

    def get(name: String, make: => A): A = synchronized {
      find(name).getOrElse {
        values.values.removeIf(_.get.isEmpty)
        val value = make
        values.put(name, WeakReference(value))
        value
      }
    }
  }
}
