/**
 * What each role takes in a process of its own, on real engines: its memory before and after shoppers, and the processor time while they
 * come. The shop and the visits are those of `cost.ts`; what the engines take is not counted.
 *
 *     node test/bench/cost/roles.ts [seconds] [visits per second]
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { testNamespace } from '../../engines/addresses.ts'
import { removeNamespace, settingsIn } from '../../engines/namespace.ts'
import { type Program, startProgram } from '../../program.ts'
import { openMarket } from './market.ts'
import { threadTimes, usedBetween } from './threads.ts'
import { visit, WARM_UP } from './visit.ts'

const SECONDS = Number(process.argv[2] ?? 30)
const VISITS_PER_SECOND = Number(process.argv[3] ?? 100)
const PRODUCTS = 19_406
const SETTLE_MS = 12_000
const ROLES = ['registry', 'selection', 'intake', 'streams'] as const

const namespace = testNamespace()
const SHOW_ID_KEYS = `1:${randomBytes(32).toString('base64url')}`
const env = { ...settingsIn(namespace), SHOW_ID_KEYS }
// All at once, because the registry is not ready before the streams have made the index.
const started = await Promise.allSettled(ROLES.map((role) => startProgram({ env: { ...env, ROLES: role } })))
const programs = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
try {
  if (programs.length < ROLES.length) throw new Error('not every role has started')
  const memory = () => programs.map((program) => program.memoryMb().now)
  const times = () => programs.map(({ process: { pid } }) => threadTimes(pid!))
  const [registry, selection, intake, streams] = programs as [Program, Program, Program, Program]

  const empty = memory()
  const market = await openMarket({ ...registry, metrics: streams.metrics }, PRODUCTS)
  const load = { url: selection.url, eventsUrl: intake.url, ...market }
  await visit({ ...load, ...WARM_UP })
  await sleep(SETTLE_MS)
  const before = times()
  const startedAt = performance.now()
  const visited = await visit({ ...load, shoppers: 'measured', visitsPerSecond: VISITS_PER_SECOND, seconds: SECONDS })
  const elapsedMs = performance.now() - startedAt
  const after = times()
  await sleep(SETTLE_MS)
  const full = memory()
  console.log(`${visited.adRequests} visits, ${visited.events} events, ${visited.failed} requests failed`)
  console.table(
    ROLES.map((role, at) => {
      const seconds = Object.values(usedBetween(before[at]!, after[at]!)).reduce((sum, each) => sum + each, 0)
      const cores = Number(((1_000 * seconds) / elapsedMs).toFixed(3))
      return { role, 'MB when empty': empty[at], 'MB after the visits': full[at], cores }
    }),
  )
} finally {
  await Promise.all(programs.map((program) => program.stop()))
  await removeNamespace(namespace)
}
