import type { Broker, Protocol } from 'kafkajs/internals'
import Encoder from 'kafkajs/src/protocol/encoder.js'
import { within } from '../../../within.ts'
import { protocolOf } from './requests.ts'

/** Together, as long as any other answer is awaited. */
const ASKED_EVERY_MS = 2_000
const ALIVE_WITHIN_MS = 3_000
/** kafkajs keeps a second connection to each broker for fetches. */
const SECOND_CONNECTION = 1

/**
 * Awaits an answer that a broker rightly holds back, as that to a join until the other members have joined too, for as long as
 * the broker answers something else on another connection. A coordinator that was frozen would hold it for ever.
 * @param hangUp breaks the connection on which the answer is awaited, and says why. @throws what it returns.
 */
export async function heldAnswer<T>(broker: Broker, answer: Promise<T>, hangUp: () => Error): Promise<T> {
  const settled = answer.then(
    () => true,
    () => true,
  )
  const silent = () => new Error('No sign of life')
  for (;;) {
    if (await within(settled, ASKED_EVERY_MS, silent).catch(() => false)) return answer
    await within(Promise.race([settled, askAside(broker)]), ALIVE_WITHIN_MS, silent).catch(() => {
      throw hangUp()
    })
  }
}

/** On a connection on which no answer is held back: a broker answers each in order. */
async function askAside({ connectionPool }: Broker): Promise<void> {
  const connection = await connectionPool.getConnection(SECOND_CONNECTION)
  await connection.send(livenessRequest())
}

/** Metadata v1 of no topics: every broker answers it at once, to any client. */
function livenessRequest(): Protocol<object> {
  return protocolOf([3, 1, 'Metadata', () => new Encoder().writeArray([])], () => ({}))
}
