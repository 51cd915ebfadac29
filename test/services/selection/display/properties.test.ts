import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BannerTargeting } from '../../../../schemas/records/entities.ts'
import { viewsKey } from '../../../../services/domain/money/counter-keys.ts'
import { tries } from '../../../effort.ts'
import { DAY_MS, NOW } from '../world.ts'
import { possible } from './brute-force.ts'
import { type Changes, createDisplayWorld, type DisplayAd, type DisplayWorld, NO_TARGETING } from './display-world.ts'
import {
  ADDRESSES,
  type Change,
  change,
  type Fault,
  type Known,
  type Request,
  request,
  type Written,
} from './generated.ts'

let world: DisplayWorld
let disabledId: string
const known = new Map<string, Known>()
beforeAll(async () => {
  world = await createDisplayWorld()
  disabledId = world.put('Account', { ...world.publisher, kind: 'ADVERTISER', displayEnabled: false })
})
afterAll(() => world.close())

function apply(made: Change): void {
  const { id, fault, bid, autoPromo, country, capped, formats } = made
  const banners = formats.map((adFormatId) => world.banner({ adFormatId }))
  const texts = (list: Written[]) => unique(list.map(({ text }) => text))
  const { phrases, categoryPaths, brands, productIds, profiles, refererPatterns } = made.targeting
  const lists: BannerTargeting = {
    ...NO_TARGETING,
    phrases: texts(phrases),
    categoryPaths: texts(categoryPaths),
    brands: texts(brands),
    productIds: unique(productIds),
    profiles: unique(profiles),
    refererPatterns: unique(refererPatterns),
  }
  const moderation = {
    state: 'ACCEPTED',
    reason: null,
    decidedAt: 0,
    decidedBy: '',
    history: [],
    submittedAt: 0,
  } as const
  const faults: Record<Fault, Changes> = {
    PAUSED: { status: 'PAUSED' },
    DRAFT: { status: 'DRAFT' },
    REJECTED: { moderation: { ...moderation, history: [], state: 'REJECTED' } },
    IN_MODERATION: { moderation: { ...moderation, history: [], state: 'IN_MODERATION' } },
    ENDED: { endAt: NOW },
    SCHEDULED: { startAt: NOW + DAY_MS / 2, endAt: NOW + DAY_MS },
    BROKE: { budgetMicros: 0, autoPromo: false },
    DISABLED: { accountId: disabledId },
    DELETED: {},
  }
  const money = { cpmMicros: autoPromo ? 0 : bid, autoPromo, capping: capped ? 1 : null }
  world.display({ targeting: lists, country, banners, ...money, ...(fault ? faults[fault] : {}) }, id)
  if (fault === 'DELETED') world.remove('Campaign', id)
  known.set(id, { ...made, banners })
}

const unique = (texts: string[]) => [...new Set(texts)]

let asks = 0
async function ask(slots: Request[], address: string, seen: ReadonlySet<string>): Promise<DisplayAd[][]> {
  const cid = `browser-${asks++}`
  for (const [campaignId, { banners }] of known) {
    for (const { id } of banners) {
      const shard = world.counters.shardOf(campaignId)
      if (seen.has(id)) world.counters.set(viewsKey(shard, 'cid', { campaignId, adId: id }, '2026-05-01', cid), 1)
    }
  }
  const body = slots.map(({ algorithm, chosen, unitFormats, ...rest }) => ({
    ...rest,
    searchData: rest.searchData?.text,
    productTitle: rest.productTitle?.text,
    categoryPaths: rest.categoryPaths?.map(({ text }) => text),
    brand: rest.brand?.text,
    slotHash: world.slot(algorithm, { targeting: chosen, adFormatIds: unitFormats }),
  }))
  const answer = await world.askDisplay(body, { headers: { cid, referer: address } })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json().data.map(({ ads }: { ads: DisplayAd[] }) => ads)
}

it('shows no banner outside its targeting, misses none while there is room, shows none twice, and the dearest first', async () => {
  let shownInAll = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 8 }),
      fc.array(request, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...ADDRESSES),
      fc.nat(4),
      async (changes, slots, address, seenShare) => {
        for (const each of changes) apply(each)
        world.world.now += 250
        // A new campaign gets its budget lease only in the next turn of the event loop.
        await new Promise(setImmediate)
        const all = [...known.values()].flatMap(({ banners }) => banners.map(({ id }) => id))
        const seen = new Set(all.filter((_, i) => i % 5 < seenShare))
        const answer = await ask(slots, address, seen)
        const taken = new Set<string>()
        for (const [i, ads] of answer.entries()) {
          const { adCount, minAdCount = 0 } = slots[i]!
          const open = possible(known.values(), slots[i]!, address, seen).filter(({ id }) => !taken.has(id))
          // Paid ads come first, in order of price; self-promotion takes the places that are left.
          const best = open.toSorted((a, b) => b.bid - a.bid).slice(0, adCount)
          const shown = ads.map(({ bannerId }) => open.find(({ id }) => id === bannerId))
          expect(shown).not.toContain(undefined)
          const expected = best.length < minAdCount ? [] : best
          expect(shown.map((each) => each!.bid)).toEqual(expected.map(({ bid }) => bid))
          expect(ads.map(({ autoPromo }) => autoPromo)).toEqual(expected.map(({ autoPromo }) => autoPromo))
          expect(new Set(ads.map(({ bannerId }) => bannerId)).size).toBe(ads.length)
          for (const { bannerId } of ads) taken.add(bannerId)
          shownInAll += ads.length
        }
      },
    ),
    // The world is kept from run to run, so a failure cannot be shrunk.
    { numRuns: tries(600, 6_000), endOnFailure: true },
  )
  // The generated campaigns and requests must match often enough.
  expect(shownInAll).toBeGreaterThan(1000)
})
