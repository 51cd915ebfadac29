import { setTimeout as delay } from 'node:timers/promises'
import { UnknownSchema } from '../../schemas/wire/codec.ts'
import type { Stream } from './stream.ts'

const LAG_CHECK_MS = 50

/**
 * Runs a stream until it has processed everything in the log, then stops it.
 * @throws UnknownSchema when something in the log needs a newer version of the program.
 */
export async function runToEnd(stream: Stream): Promise<void> {
  const ended = stream.run()
  try {
    while ((await stream.lag()).some(({ records }) => records > 0)) {
      const [paused] = stream.state().paused
      if (paused) throw new UnknownSchema(`${paused.topic}/${paused.partition}: ${paused.reason}`)
      await delay(LAG_CHECK_MS)
    }
  } finally {
    await stream.stop()
    await ended
  }
}
