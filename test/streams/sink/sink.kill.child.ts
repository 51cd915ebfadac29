import { randomUUID } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { attribute } from '../../../streams/attribution/attribution.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { HOUR, pageView, purchase, T0, touch } from '../attribution/events.ts'
import { bytesOf, type Happening, keyOf } from '../attribution/happenings.ts'

/**
 * Appends events, stores them and credits them until it is killed. Arguments: folder, round. Sends `ready` once it does all three,
 * and `N` for every N events that the log has accepted.
 */
const [folder, round] = [process.argv[2]!, Number(process.argv[3])]
const EVENTS_PER_APPEND = 20
const silent = { info() {}, warn() {}, error: (details: object) => console.error(details) }

const log = await openEmbeddedEventLog({ folder: `${folder}/log` })
const analytics = await openEmbeddedAnalytics({ folder: `${folder}/analytics` })
// The clock runs ten times as fast, so that batches close early and often.
createSink({ log, analytics, now: () => Date.now() * 10, logger: silent }).run()
// A killed process writes no compiled code at its end, and the next one would compile all of it again.
flushCompileCache()
process.send!('ready')
void credit()
for (let turn = 0; ; turn++) {
  const events = Array.from({ length: EVENTS_PER_APPEND }, (_, i) =>
    eventOf(round * 1e6 + turn * EVENTS_PER_APPEND + i),
  )
  await log.append(events.map((each) => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })))
  process.send!(events.length)
  await new Promise((resolve) => setTimeout(resolve, 5))
}

async function credit(): Promise<void> {
  while (true) {
    await attribute({ log, analytics, runId: randomUUID })
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The n-th event. There are few people and products, so that they recur across rounds. */
function eventOf(n: number): Happening {
  const dice = (sides: number, salt: number) => (Math.imul(n + 7919 * salt, 2654435761) % sides) >>> 0
  const cid = `c${dice(40, 1) % 40}`
  const shared = { cid, uid: n % 11 === 0 ? `u${n % 5}` : null, at: T0 + (n % 977) * HOUR }
  const product = `p${n % 13}`
  if (n % 4 === 0)
    return { topic: 'transactions', value: purchase({ ...shared, eventId: `o${n % 300}`, products: [product] }) }
  if (n % 4 === 1) return { topic: 'page-views', value: pageView({ ...shared, id: `v${n}` }) }
  const type = n % 3 === 0 ? 'VIEW' : 'CLICK'
  return { topic: 'judged-events', value: touch({ ...shared, eventId: `e${n}`, type, adId: product }) }
}
