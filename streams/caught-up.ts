import { setTimeout as delay } from 'node:timers/promises'
import type { Stream } from './pipeline.ts'

const LAG_CHECK_MS = 50

/** Runs a stream until it has done all that the log holds, then stops it. */
export async function runToEnd(stream: Stream): Promise<void> {
  const ended = stream.run()
  while ((await stream.lag()).some(({ records }) => records > 0)) await delay(LAG_CHECK_MS)
  await stream.stop()
  await ended
}
