import { randomBytes, randomUUID } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import type { Account, Scope } from '../../../../schemas/records/accounts.ts'
import { hashToken } from '../../../../services/domain/identity/tokens.ts'
import { createWorld, type World } from '../world.ts'

const PUBLIC = '8.8.8.8'
let world: World
afterEach(() => world.close())

const bestseller = () => ({ slotHash: world.unit('BESTSELLERS'), adCount: 1 })
const ask = async (request: Parameters<World['ask']>[1] = {}) => (await world.ask([bestseller()], request)).statusCode
async function statuses(count: number, request: Parameters<World['ask']>[1] = {}) {
  const all: number[] = []
  for (let i = 0; i < count; i++) all.push(await ask(request))
  return all
}

/** An account's token, as a header. */
function tokenOf(accountId: string) {
  const secret = `endcap_${randomBytes(24).toString('base64url')}`
  const scopes: Scope[] = ['slots']
  const times = { expiresAt: null, revokedAt: null, createdAt: null, lastUsedAt: null }
  const body = { accountId, name: 'T', secretHash: hashToken(secret), scopes, createdBy: null, ...times }
  world.put('Token', body)
  return { authorization: `Bearer ${secret}` }
}
const account = (kind: Account['kind']) =>
  world.put('Account', { kind, name: kind, companyName: '', taxNumber: '', sellerIds: [], displayEnabled: false })

it('answers an address so many requests a minute, and says when to come again', async () => {
  world = await createWorld({ limits: { addressRequestsPerMinute: 3 } })
  expect(await statuses(4, { address: PUBLIC })).toEqual([200, 200, 200, 429])
  const refused = await world.ask([bestseller()], { address: PUBLIC })
  expect(refused.json()).toMatchObject({
    code: 'RATE_LIMITED',
    detail: 'More than 3 requests a minute from this address (LIMIT_ADDRESS_REQUESTS_PER_MINUTE)',
  })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  expect(await ask({ address: '9.9.9.9' })).toBe(200)
  expect(await ask()).toBe(200)
  world.now += 20_000
  expect(await statuses(2, { address: PUBLIC })).toEqual([200, 429])
})

it('answers a shop so many requests a minute of senders that nobody knows, and those of its own server all', async () => {
  world = await createWorld({ limits: { shopRequestsPerMinute: 3 } })
  expect(await statuses(4)).toEqual([200, 200, 200, 429])
  const publisher = account('PUBLISHER')
  world.put('Shop', { ...world.shop, accountId: publisher }, world.shopId)
  expect(await statuses(5, { headers: tokenOf(publisher) })).toEqual(Array(5).fill(200))
  const shopId = world.put('Shop', { ...world.shop, accountId: account('PUBLISHER') })
  const other = { ...bestseller(), slotHash: world.unit('BESTSELLERS', { shopId, placementId: randomUUID() }) }
  expect((await world.ask([other])).statusCode).toBe(200)
})

it('counts a request once for every 20 ads that it asks for, or part of 20, of its address and of each shop', async () => {
  world = await createWorld({ limits: { addressRequestsPerMinute: 6, shopRequestsPerMinute: 8 } })
  const asking = async (...counts: number[]) => {
    const slots = counts.map((adCount) => ({ ...bestseller(), adCount }))
    return (await world.ask(slots, { address: PUBLIC })).statusCode
  }
  expect([await asking(20), await asking(21), await asking(20, 20, 20)]).toEqual([200, 200, 200])
  expect(await asking(1)).toBe(429)
  world.now += 20_000
  // Of two that are left, one request may take as many as it asks for: the next ones wait.
  expect([await asking(100), await asking(1)]).toEqual([200, 429])
  world.now += 20_000
  expect(await asking(1)).toBe(429)
})

it.each([
  ['counts a token of another publisher for the shop', 'PUBLISHER', [200, 200, 429]],
  ['counts a token of an advertiser for nothing', 'ADVERTISER', [200, 200, 429]],
  ['lets an operator ask', 'OPERATOR', [200, 200, 200]],
] as const)('%s', async (_name, kind, expected) => {
  world = await createWorld({ limits: { shopRequestsPerMinute: 2 } })
  expect(await statuses(3, { headers: tokenOf(account(kind)) })).toEqual(expected)
})

it('takes a token that is not in force for that of a stranger', async () => {
  world = await createWorld({ limits: { addressRequestsPerMinute: 1 } })
  expect(await statuses(2, { address: PUBLIC, headers: { authorization: 'Bearer nonsense' } })).toEqual([200, 429])
})

it('counts emission info of a shop, too', async () => {
  world = await createWorld({ limits: { shopRequestsPerMinute: 2 } })
  world.offer([world.campaign()])
  const showId = (await world.ads([bestseller()]))[0]![0]!.showId
  expect((await world.emissionInfo({ showId })).statusCode).toBe(200)
  expect((await world.emissionInfo({ showId })).statusCode).toBe(429)
})
