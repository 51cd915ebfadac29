import { expect, it } from 'vitest'
import { AnalyticsGaveUp } from '../../../infra/analytics/port.ts'
import { HOUR, T0 } from './events.ts'
import { happened } from './happenings.ts'
import { attributedByHand } from './oracle.ts'
import { openWorlds } from './world.ts'

const world = openWorlds()
/** As long as an id may be. */
const long = (id: string) => id.padEnd(256, '-')
const UIDS = 20
const CIDS_PER_UID = 199

/**
 * What one stranger can send in some minutes: page views that make one cid the same person as thousands of others, as far as links have
 * places, and an order of as many lines as it may have.
 */
const crowd = Array.from({ length: UIDS }, (_, u) => [
  happened.pageView({ id: `v${u}`, cid: long('c'), uid: long(`u${u}`), at: T0 }),
  ...Array.from({ length: CIDS_PER_UID }, (_, c) =>
    happened.pageView({ id: `v${u} ${c}`, cid: long(`c${u} ${c}`), uid: long(`u${u}`), at: T0 + 1 }),
  ),
]).flat()
const products = Array.from({ length: 1_000 }, (_, i) => long(`p${i}`))

it('an order of a thousand lines by a person of thousands of cids holds up nobody', async () => {
  const { store, attribute, lines, whatIf, explain } = await world()
  await store([
    ...crowd,
    happened.touch({ eventId: "a member's click", cid: long('c7 7'), at: T0 + 2, adId: products[3]! }),
    happened.purchase({ eventId: 'crowd', cid: long('c'), at: T0 + HOUR, products }),
    happened.touch({ eventId: 'click', cid: 'a', at: T0, adId: 'p1' }),
    happened.purchase({ eventId: 'honest', cid: 'a', at: T0 + HOUR, products: ['p1'] }),
  ])
  await attribute()
  const stored = await lines()
  expect(stored).toHaveLength(products.length + 1)
  const credited = stored.filter(({ outcome }) => outcome === 'CREDITED')
  expect(credited.map(({ eventId, line, touchEventId }) => [eventId, line, touchEventId])).toEqual([
    ['crowd', 3, "a member's click"],
    ['honest', 0, 'click'],
  ])
  expect(await whatIf('LAST_TOUCH')).toHaveLength(2)
  expect((await explain('crowd')).filter(({ result }) => result === 'WON')).toMatchObject([{ line: 3 }])
})

it('an order of a thousand lines by a person of hundreds of touches takes no join of each line with each touch', async () => {
  const { store, attribute, lines, whatIf, explain, analytics } = await world()
  const joined = async () => {
    const sql = `SELECT toInt64(sum(value)) AS rows FROM system.events WHERE event = 'JoinResultRowCount'`
    return (await analytics.query<{ rows: number }>(sql))[0]!.rows
  }
  const rowsOf = async (work: () => Promise<unknown>) => {
    const before = await joined()
    await work()
    return (await joined()) - before
  }
  const happenings = [
    ...Array.from({ length: 300 }, (_, i) =>
      happened.touch({ eventId: `t${i}`, cid: 'c', at: T0 + i, adId: i === 7 ? 'p3' : 'seen' }),
    ),
    happened.purchase({
      ...{ eventId: 'large', cid: 'c', at: T0 + HOUR },
      products: [...Array.from({ length: 500 }, (_, i) => `p${i}`), ...Array.from({ length: 500 }, () => 'seen')],
    }),
  ]
  await store(happenings)
  const computed = await rowsOf(attribute)
  // Each touch is joined with the first line, and with that of its product.
  expect([computed > 300, computed < 20_000]).toEqual([true, true])
  expect(await lines()).toEqual(attributedByHand(happenings))
  expect(await whatIf('LAST_TOUCH')).toHaveLength(501)

  let told: Awaited<ReturnType<typeof explain>> = []
  const compared = await rowsOf(async () => {
    told = await explain('large')
  })
  expect([compared > 300, compared < 20_000]).toEqual([true, true])
  const strongest = ['t299', 't298', 't297', 't296', 't295']
  const ofLine = (line: number) => (line === 3 ? ['t7', ...strongest] : strongest)
  const expected = strongest.flatMap((_, place) => Array.from({ length: 1_000 }, (_, line) => ofLine(line)[place]))
  expect(told.map(({ touchEventId }) => touchEventId)).toEqual(expected)
})

it('transactions that are too much for the store at once are computed in smaller slices', async () => {
  const { store, attribute, lines, analytics } = await world()
  const ids = Array.from({ length: 11 }, (_, i) => `o${i}`)
  await store(ids.map((eventId) => happened.purchase({ eventId, cid: eventId, at: T0, products: ['p1', 'p2'] })))
  const sizes: number[] = []
  let max = 4
  const small: typeof analytics = {
    ...analytics,
    async command(sql, params = {}) {
      const size = Number(params.to) - Number(params.from)
      if (size > 0) sizes.push(size)
      if (size > max) throw new AnalyticsGaveUp('Query memory limit exceeded')
      return analytics.command(sql, params)
    },
  }
  await attribute({ analytics: small })
  expect(sizes).toEqual([11, 6, 3, 3, 3, 2])
  expect(await lines()).toHaveLength(2 * ids.length)

  max = 0
  await store([happened.purchase({ eventId: 'last', cid: 'last', at: T0, products: ['p1'] })])
  await expect(attribute({ analytics: small })).rejects.toThrow(AnalyticsGaveUp)
})
