import RequestQueue from 'kafkajs/src/network/requestQueue/index.js'

/**
 * kafkajs 2.2.4 looks again for requests to send at `throttledUntil - now`. Unless a broker throttles us that is a time
 * long past, and so an idle connection wakes every millisecond (and Node warns of a negative timeout). Whatever ends a
 * request or adds one looks for itself: a timer is needed only while something waits.
 */
export function keepIdleQueuesQuiet(): void {
  const queue = RequestQueue.prototype as RequestQueue & { idlesQuietly?: true }
  if (queue.idlesQuietly) return
  const schedule = queue.scheduleCheckPendingRequests
  queue.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) schedule.call(this)
  }
  queue.idlesQuietly = true
}
