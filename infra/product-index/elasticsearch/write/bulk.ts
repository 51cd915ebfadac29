import { setTimeout as delay } from 'node:timers/promises'
import type { Client, estypes } from '@elastic/elasticsearch'
import { IndexUnavailable } from '../../port.ts'
import { type Placed, routingOf } from '../placement.ts'

/** Size of one request; a larger document is sent alone. */
const REQUEST_MAX_BYTES = 8 * 1024 * 1024
/** Attempts while the server refuses documents, with growing waits of about ten seconds in all. */
const TRIES_MAX = 9
const WAIT_FIRST_MS = 40
const WAIT_MAX_MS = 3_000

/** A document to store unless the index has this version of it or a later one. */
export interface BulkItem {
  key: string
  shop: string
  version: number
  /** JSON. */
  body: string
}
export type BulkOutcome = 'STORED' | 'CONFLICT'

/** `external_gte` also accepts the version that is stored. */
export type VersionRule = 'external' | 'external_gte'

/** Stores documents, in requests of bounded size. @returns the outcome of each, in order. */
export async function bulk(
  client: Client,
  placed: Placed,
  items: readonly BulkItem[],
  rule: VersionRule = 'external',
): Promise<BulkOutcome[]> {
  const outcomes: BulkOutcome[] = []
  for (let from = 0; from < items.length; ) {
    let to = from
    for (
      let bytes = 0;
      to < items.length && (to === from || bytes + items[to]!.body.length <= REQUEST_MAX_BYTES);
      to++
    ) {
      bytes += items[to]!.body.length
    }
    outcomes.push(...(await sendUntilTaken(client, placed, items.slice(from, to), rule)))
    from = to
  }
  return outcomes
}

/** Sends refused documents again: the server is overloaded, or the index is being replaced. */
async function sendUntilTaken(client: Client, placed: Placed, items: readonly BulkItem[], rule: VersionRule) {
  const outcomes: BulkOutcome[] = new Array(items.length)
  let waiting = items.map((_, at) => at)
  for (let tried = 0; ; ) {
    const answers = await send(
      client,
      placed,
      waiting.map((at) => items[at]!),
      rule,
    )
    const refused: number[] = []
    answers.forEach((answer, i) => {
      if (answer === 'REFUSED') refused.push(waiting[i]!)
      else outcomes[waiting[i]!] = answer
    })
    if (refused.length === 0) return outcomes
    if (++tried === TRIES_MAX) throw new IndexUnavailable(`The index refused ${refused.length} documents for too long`)
    waiting = refused
    await delay(Math.min(WAIT_MAX_MS, WAIT_FIRST_MS * 2 ** tried))
  }
}

type Answer = BulkOutcome | 'REFUSED'

async function send(client: Client, placed: Placed, items: readonly BulkItem[], rule: VersionRule): Promise<Answer[]> {
  try {
    return await placed.use(async (placement) => {
      const operations = items.flatMap(({ key, shop, version, body }) => [
        JSON.stringify({ index: { _id: key, ...routingOf(placement, shop), version, version_type: rule } }),
        body,
      ])
      // Without `require_alias`, a write to a lost alias would create an index with a dynamic mapping.
      const { items: answers } = await client.bulk({
        index: placement.index,
        operations,
        require_alias: rule === 'external',
        filter_path: ['items.*.status', 'items.*.error'],
      })
      return answers.map(({ index: answer }) => answerOf(answer!))
    })
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 429) return items.map(() => 'REFUSED')
    throw error
  }
}

/** Status 403 means that the index takes no writes while it is being replaced. */
function answerOf({ status, error }: estypes.BulkResponseItem): Answer {
  if (status === 409) return 'CONFLICT'
  if (status < 300) return 'STORED'
  if (status === 429 || status === 403) return 'REFUSED'
  const message = `${error?.type}: ${error?.reason}`
  if (status >= 500 || status === 404) throw new IndexUnavailable(message)
  throw new Error(`Elasticsearch refused a document: ${message}`)
}
