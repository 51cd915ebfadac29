import { randomUUID } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { openEmbeddedCounters } from '../../../infra/counters/embedded/counters.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { topics } from '../../../schemas/topics.ts'
import { UNKNOWN_CLIENT } from '../../../services/domain/identity/client-hashes.ts'
import { parseServerKeys } from '../../../services/domain/identity/server-keys.ts'
import { createShowIds } from '../../../services/domain/show-id/show-id.ts'
import { createHttpServer } from '../../../services/http/server.ts'
import { intakeApp } from '../../../services/intake/app.ts'
import { createJudge } from '../../../streams/judge/judge.ts'
import { generousLimits } from '../../generous-limits.ts'
import { requestLimits } from '../../request-limits.ts'
import { snapshotOf } from '../../streams/judge/fixtures.ts'

/** Serves the intake and runs the judge, over the engines of a folder, until it is killed. Sends its port to the parent. */
const [folder, keys, campaigns] = process.argv.slice(2) as [string, string, string]
const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
const counters = await openEmbeddedCounters({
  folder: join(folder, 'counters'),
  shards: topics['ad-events'].partitions,
})
const snapshot = snapshotOf(JSON.parse(campaigns))
const showIds = createShowIds({ keys: parseServerKeys(keys) })
const server = createHttpServer({ logger: false })
const limits = requestLimits({ snapshot, limits: generousLimits })
const metrics = { eventsTaken() {}, repeatsLeftOut() {} }
const clientHasher = { hash: () => UNKNOWN_CLIENT }
server.register(intakeApp({ log, snapshot, showIds, limits, metrics, clientHasher, now: Date.now, uuid: randomUUID }))
await server.listen({ host: '127.0.0.1', port: 0 })
createJudge({ log, counters, snapshot, now: Date.now, logger: pino({ level: 'silent' }) }).run()
// A killed process writes no compiled code at its end, and the next one would compile all of it again.
flushCompileCache()
process.send!((server.server.address() as AddressInfo).port)
