import type { Socket } from 'node:net'
import type { ISocketFactory } from 'kafkajs'
import Connection from 'kafkajs/src/network/connection.js'
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js'

/** Size of the length in front of every response. */
const LENGTH_BYTES = 4

let patched = false

/** Repairs kafkajs 2.2.4 for the whole process; upstream has released nothing since February 2023. May be called again. */
export function patchKafkajs(): void {
  if (patched) return
  patched = true
  stopIdlePolling()
  dropPartialResponses()
  forgetClosedSockets()
}

/**
 * An idle connection polls its empty queue every millisecond, because it sets its timer to `throttledUntil - now`, a time long past;
 * Node warns of the negative timeout. Code that adds or ends a request checks the queue itself: a timer is needed only while
 * requests wait.
 * - Upstream: https://github.com/tulios/kafkajs/issues/1704, https://github.com/tulios/kafkajs/issues/1751
 * - Test: "Kafka gives Node nothing to warn of" in test/engines/event-log/faults.test.ts; `make bench` measures the idle CPU.
 */
function stopIdlePolling(): void {
  const queue = RequestQueue.prototype
  const schedule = queue.scheduleCheckPendingRequests
  queue.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) schedule.call(this)
  }
}

/**
 * A connection that breaks in the middle of a response keeps the first half, and takes the first bytes after reconnecting
 * for the rest of it. From then on every response is garbled, or an error is thrown where nothing can catch it.
 * - Upstream: https://github.com/tulios/kafkajs/issues/715
 * - Test: "a response cut off by a broken connection …" in test/infra/event-log/kafka/client/patches.test.ts
 */
function dropPartialResponses(): void {
  const connection = Connection.prototype
  const { connect } = connection
  connection.connect = function (this: Connection) {
    if (!this.isConnected()) {
      this.chunks = []
      this.bytesBuffered = 0
      this.bytesNeeded = LENGTH_BYTES
    }
    return connect.call(this)
  }
}

/**
 * A connection keeps its closed socket. Each failed connect to its broker disconnects that socket once more, which adds a listener to
 * it without limit: Node warns of a leak after ten.
 * - Upstream: not reported
 * - Test: "a connection that is closed again and again …" in test/infra/event-log/kafka/client/patches.test.ts
 */
function forgetClosedSockets(): void {
  const connection = Connection.prototype
  const { disconnect } = connection
  connection.disconnect = function (this: Connection) {
    if (this.socket?.destroyed) this.socket = null
    return disconnect.call(this)
  }
}

/**
 * A request that times out leaves its connection open, dead or not, and the next requests go down the same connection.
 * Every socket is recorded here, so that the broker client can destroy those that have stalled.
 * - Upstream: https://github.com/tulios/kafkajs/issues/919
 * - Test: "a connection that has gone silent is replaced, …" in test/engines/event-log/faults.test.ts
 */
export function recordSockets(create: ISocketFactory): { create: ISocketFactory; destroyAll(error: Error): void } {
  const sockets = new Set<Socket>()
  return {
    create(options) {
      const socket = create(options)
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    destroyAll(error) {
      for (const socket of sockets) socket.destroy(error)
    },
  }
}
