import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TransactionTrust } from '../../../schemas/records/entities.ts'
import { CIDS_PER_UID_MAX, UIDS_PER_CID_MAX } from '../../../services/domain/attribution/credit.ts'
import { ATTRIBUTION_LIMITS } from '../../../streams/attribution/attribution.ts'
import { tries } from '../../effort.ts'
import { HOUR, T0 } from './events.ts'
import { type Happening, happened } from './happenings.ts'
import { attributedByHand } from './oracle.ts'
import { openWorlds, SMALL_PARTS } from './world.ts'

/** Each run takes about a second. */
const RUNS = tries(4, 40)
const world = openWorlds()

it('attribution gives the table that loops over all events give, for any people, order, duplicates, batches, crashes, leaders and lost commits', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.integer(), async (history, seed) => {
      const happenings = shuffled(history, seed)
      const { store, attribute: attributeBy, committed, rewind, rewindSink, lines, whatIf } = await world()
      const unaskedTransactions = seed % 2 === 0 ? 0 : ATTRIBUTION_LIMITS.unaskedTransactions
      const limits = seed % 5 < 3 ? SMALL_PARTS : ATTRIBUTION_LIMITS
      const attribute = () => attributeBy({ limits: { ...limits, unaskedTransactions } })
      await store(crowd)
      // If attribution runs now, it follows what comes later. Otherwise it begins with all of it as the past.
      if (seed % 3 !== 0) await attribute()
      const random = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { numRuns: 200, seed })
      for (let from = 0, turn = 0; from < happenings.length; turn++) {
        const size = 1 + Math.floor(random[turn % 200]! * 30)
        await store(happenings.slice(from, from + size))
        from += size
        if (random[(turn * 3) % 200]! < 0.2) continue
        const before = await committed()
        // A leader that was frozen may wake up while the next one works.
        await Promise.all(random[(turn * 11) % 200]! < 0.2 ? [attribute(), attribute()] : [attribute()])
        if (random[(turn * 7) % 200]! < 0.3) await rewind(before)
        const lost = random[(turn * 13) % 200]!
        if (lost < 0.2) await rewind([])
        // What Kafka has forgotten of the sink's commits is made again from the tables, without the last batch of each partition.
        if (lost < 0.1) await rewindSink(1 + (turn % 5))
        if (lost > 0.9) await rewind((await committed()).filter((_, i) => i % 2 === turn % 2))
      }
      await store([])
      await attribute()
      const stored = await lines()
      expect(stored).toEqual(attributedByHand([...crowd, ...happenings]))
      const credited = stored.filter(({ shopId, outcome }) => shopId === 'shop' && outcome === 'CREDITED')
      expect(await whatIf('LAST_TOUCH')).toEqual(
        credited.map(({ cid, shopProductId, outcome, proof, trust, returnedQuantity, ...line }) => ({
          ...line,
          weight: 1,
        })),
      )
      const linear = Map.groupBy(await whatIf('LINEAR'), ({ kind, eventId, line }) => `${kind}/${eventId}/${line}`)
      expect(linear.size).toBe(credited.length)
      for (const touches of linear.values()) {
        expect(touches.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9)
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})

const cids = fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5')
const uids = fc.option(fc.constantFrom('u1', 'u2', 'u3', ''), { freq: 2 })
const shops = fc.constantFrom('shop', 'shop', 'shop', 'other')
const products = fc.constantFrom('p1', 'p2', 'p3', 'p4')
const groups = fc.option(fc.constantFrom('g1', 'g2', ''))
/** The last campaign is of the other shop. */
const campaigns = fc.constantFrom('k1', 'k2', 'k3')
/** Hours close to the edges of the windows, so that edges are met exactly. */
const times = fc
  .constantFrom(0, 0, 1, 2, 23, 24, 25, 48, 14 * 24 - 1, 14 * 24, 14 * 24 + 1, 400)
  .map((hours) => T0 + hours * HOUR)

const proofs = fc.constantFrom('ANONYMOUS' as const, 'ANONYMOUS' as const, 'SIGNED' as const, 'TOKEN' as const)

const touches = fc
  .record({
    eventId: fc.integer({ min: 0, max: 9999 }).map((n) => `e${n}`),
    type: fc.constantFrom('VIEW' as const, 'CLICK' as const),
    verdict: fc.constantFrom(
      'VALID' as const,
      'VALID' as const,
      'VALID' as const,
      'BOT' as const,
      'DUPLICATE' as const,
    ),
    cid: cids,
    uid: uids,
    shopId: shops,
    at: times,
    adId: products,
    itemGroupId: groups,
    campaignId: campaigns,
    kind: fc.constantFrom('SPONSORED' as const, 'SPONSORED' as const, 'DISPLAY' as const),
  })
  .map((fields) => happened.touch(fields))
const purchases = fc
  .record({
    eventId: fc.constantFrom('o1', 'o2', 'o3'),
    kind: fc.constantFrom('PURCHASE' as const, 'PURCHASE' as const, 'CART' as const, 'WISHLIST' as const),
    cid: cids,
    uid: uids,
    shopId: shops,
    at: times,
    receivedAt: times,
    proof: proofs,
    imported: fc.constantFrom(false, false, false, true),
    products: fc.array(fc.oneof(products, fc.tuple(products, fc.integer({ min: 1, max: 4 }))), {
      minLength: 1,
      maxLength: 3,
    }),
  })
  .map((fields) => happened.purchase(fields))
const returns = fc
  .record({
    returnId: fc.constantFrom('r1', 'r2', 'r3', 'r4'),
    eventId: fc.constantFrom('o1', 'o2', 'o3'),
    shopId: shops,
    at: times,
    lines: fc.oneof(
      { weight: 1, arbitrary: fc.constant<[string, number][]>([]) },
      {
        weight: 4,
        arbitrary: fc.array(fc.tuple(products, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 2 }),
      },
    ),
  })
  .map((fields) => happened.returned(fields))
const visits = fc
  .tuple(
    fc.boolean(),
    fc.record({ id: fc.uuid(), cid: cids, uid: uids, shopId: shops, at: times, receivedAt: times, proof: proofs }),
  )
  .map(([viewed, fields]) => (viewed ? happened.pageView(fields) : happened.emission(fields)))
const changes = fc.tuple(products, fc.constantFrom('g1', 'g2')).map(([id, group]) => happened.grouping(id, group))
const versions = fc.array(fc.record({ id: campaigns, at: times, list: fc.uniqueArray(products, { maxLength: 2 }) }), {
  maxLength: 5,
})
const windows = fc.array(
  fc.record({
    hours: fc.constantFrom([336, 24] as const, [24, 2] as const, [1, 400] as const, [24, 0] as const),
    at: times,
    trust: fc.constantFrom('OPEN' as const, 'PREFER_SIGNED' as const, 'SIGNED_ONLY' as const),
  }),
  { maxLength: 3 },
)

/**
 * Links that leave room for two more cids of the uid u3, and for one more uid of the cid c5. Links before, after and at the same
 * time compete for this room.
 */
const crowd = [
  ...Array.from({ length: CIDS_PER_UID_MAX - 2 }, (_, i) =>
    happened.pageView({ id: `crowd${i}`, cid: `crowd${i}`, uid: 'u3', at: T0 + HOUR }),
  ),
  ...Array.from({ length: UIDS_PER_CID_MAX - 1 }, (_, i) =>
    happened.pageView({ id: `names${i}`, cid: 'c5', uid: `name${i}`, at: T0 + HOUR }),
  ),
]

const histories = fc
  .record({
    touches: fc.array(touches, { minLength: 5, maxLength: 40 }),
    purchases: fc.array(purchases, { minLength: 2, maxLength: 12 }),
    returns: fc.array(returns, { maxLength: 6 }),
    visits: fc.array(visits, { maxLength: 6 }),
    changes: fc.array(changes, { maxLength: 6 }),
    versions,
    windows,
    repeated: fc.array(fc.nat(), { maxLength: 8 }),
  })
  .map(({ touches, purchases, returns, visits, changes, versions, windows, repeated }) => {
    const events = uniqueTouches([...touches, ...purchases, ...returns, ...visits])
    const again = repeated.map((n) => events[n % events.length]!)
    return { events: [...events, ...again], ordered: [...changes, ...registryOf(versions, windows)] }
  })

/** A touch's id has one content; only whole events are repeated. */
function uniqueTouches(events: Happening[]): Happening[] {
  const ids = new Set<string>()
  return events.filter((each) => {
    if (each.topic !== 'judged-events') return true
    const fresh = !ids.has(each.value.eventId)
    ids.add(each.value.eventId)
    return fresh
  })
}

function registryOf(
  versions: { id: string; at: number; list: string[] }[],
  windows: { hours: readonly [number, number]; at: number; trust: TransactionTrust }[],
): Happening[] {
  const made = new Map<string, number>()
  const campaigns = versions.map(({ id, at, list }) => {
    const version = (made.get(id) ?? 0) + 1
    made.set(id, version)
    return happened.campaign({ id, version, at, list, shopId: id === 'k3' ? 'other' : 'shop' })
  })
  const shops = windows.map(({ hours: [clickWindowHours, viewWindowHours], at, trust }, i) =>
    happened.shop({ version: i + 1, at, clickWindowHours, viewWindowHours, transactionTrust: trust }),
  )
  return [...campaigns, ...shops]
}

/** The events in any order, except that what has an order in the log keeps it. */
function shuffled({ events, ordered }: { events: Happening[]; ordered: Happening[] }, seed: number): Happening[] {
  const weights = fc.sample(fc.nat(), { numRuns: events.length + ordered.length, seed })
  const places = weights.slice(0, ordered.length).sort((a, b) => a - b)
  const placed = [
    ...events.map((each, i) => ({ each, at: weights[ordered.length + i]! })),
    ...ordered.map((each, i) => ({ each, at: places[i]! })),
  ]
  return placed.sort((a, b) => a.at - b.at).map(({ each }) => each)
}
