import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ad, type JourneyShop, openShop, type Selection } from '../journey/shop.ts'
import { must, type Program, startProgram } from '../program.ts'
import { waitFor } from '../wait-for.ts'
import { testNamespace } from './addresses.ts'
import { removeNamespace, settingsIn } from './namespace.ts'

/** The whole program and a second process that selects, on the real engines. */

const REQUESTS = 200
const CAP = 3
const ADDRESS_LIMIT = 200
const LAMPS = ['red', 'green', 'blue']
const ALL_THEY_MAY_SEE = CAP * LAMPS.length
const namespace = testNamespace()
let programs: Program[]
let shop: JourneyShop

beforeAll(async () => {
  const env = {
    ...settingsIn(namespace),
    SHOW_ID_KEYS: `1:${randomBytes(32).toString('base64url')}`,
    // An answer that is late is no answer: all requests come at once.
    SELECTION_DEADLINE_MS: '5000',
    TRUSTED_PROXIES: 'loopback',
    LIMIT_ADDRESS_REQUESTS_PER_MINUTE: String(ADDRESS_LIMIT),
  }
  const whole = await startProgram({ env })
  programs = [whole, await startProgram({ env: { ...env, ROLES: 'selection' } })]
  shop = await openShop(whole, { lamps: LAMPS })
  await must(whole.call('PATCH', `/v1/panel/campaigns/${shop.campaignId}`, { capping: CAP }))
  // Both processes know of the change when they show nobody more than that.
  await waitFor(async () => {
    const counts = await Promise.all(
      programs.map(async (program) => (await shown([program], ALL_THEY_MAY_SEE + 1, randomUUID())).length),
    )
    return counts.every((count) => count === ALL_THEY_MAY_SEE)
  })
})
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()))
  await removeNamespace(namespace)
})

/** The ads that a person is shown, who asks so often at the same time, these processes in turn. */
async function shown(processes: readonly Program[], requests: number, cid: string): Promise<Ad[]> {
  const targeting = [{ slotHash: shop.slotHash, adCount: 1, searchData: 'desk lamp' }]
  const answers = await Promise.all(
    Array.from({ length: requests }, (_, i) =>
      must(processes[i % processes.length]!.call<Selection>('POST', '/v1/dsa/raw/batch', { targeting }, { cid })),
    ),
  )
  return answers.flatMap(({ data }) => data[0]!.ads)
}

test('200 requests of one person at the same time show an ad no more often than its cap', async () => {
  const cid = randomUUID()
  const ads = await shown(programs, REQUESTS, cid)
  const times = LAMPS.map((lamp) => ads.filter(({ shopProductId }) => shopProductId === `lamp-${lamp}`).length)
  expect(times).toEqual(LAMPS.map(() => CAP))
  const viewed = { events: ads.map(({ showId }) => ({ type: 'VIEW', showId })) }
  await must(programs[0]!.call('POST', '/v1/ev/batch', viewed, { cid }))
  for (let again = 0; again < 5; again++) expect(await shown(programs, REQUESTS, cid)).toEqual([])
  expect(await shown(programs, 2, randomUUID())).toHaveLength(2)
})

test('what a stranger asks of one process counts in the other, by way of Redis', async () => {
  const ask = async (program: Program, address: string, count: number) => {
    const answers = await Promise.all(
      Array.from({ length: count }, () =>
        program.call('POST', '/v1/dsa/emissionInfo', { showId: 'none' }, { 'x-forwarded-for': address }),
      ),
    )
    return answers.filter(({ status }) => status === 429).length
  }
  // A process looks at what the others have let pass once it has let pass a twentieth of the limit itself.
  const share = ADDRESS_LIMIT / 20
  await waitFor(async () => (await ask(programs[0]!, '8.8.8.8', share)) > 0)
  let passed = 0
  await waitFor(async () => {
    const refused = await ask(programs[1]!, '8.8.8.8', share)
    passed += share - refused
    return refused > 0
  })
  expect(passed).toBeLessThan(ADDRESS_LIMIT)
  expect(await ask(programs[1]!, '9.9.9.9', share)).toBe(0)
})

test('they end in good order when they are told to', async () => {
  await Promise.all(programs.map((program) => program.kill('SIGTERM')))
  expect(programs.map((program) => program.process.exitCode)).toEqual([0, 0])
})
