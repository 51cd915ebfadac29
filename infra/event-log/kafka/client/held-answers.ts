import type { Broker, Protocol } from 'kafkajs/internals'
import Encoder from 'kafkajs/src/protocol/encoder.js'
import { within } from '../../../within.ts'
import { protocolOf } from './protocol/requests.ts'

/** Together these two are as long as any other answer is awaited. */
const ASKED_EVERY_MS = 2_000
const ALIVE_WITHIN_MS = 3_000
/** kafkajs keeps a second connection to each broker for fetches. */
const SECOND_CONNECTION = 1

/**
 * Awaits an answer that a broker rightly holds back, such as the answer to a join until the other members have joined. It is awaited
 * for as long as the broker answers requests on another connection: a frozen coordinator would never answer.
 * @param hangUp breaks the connection on which the answer is awaited, and returns why, as an error. @throws that error.
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

/** Asks on a connection on which no answer is held back, because a broker answers the requests of a connection in order. */
async function askAside({ connectionPool }: Broker): Promise<void> {
  const connection = await connectionPool.getConnection(SECOND_CONNECTION)
  await connection.send(livenessRequest())
}

/** Metadata v1 of no topics: every broker answers it at once, to any client. */
function livenessRequest(): Protocol<object> {
  return protocolOf([3, 1, 'Metadata', () => new Encoder().writeArray([])], () => ({}))
}
