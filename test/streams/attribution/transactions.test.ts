import { describe, expect, it } from 'vitest'
import { HOUR, T0 } from './events.ts'
import { type Happening, happened } from './happenings.ts'
import { openWorlds, type StoredLine } from './world.ts'

const world = openWorlds()

/** Plays scenarios side by side, each in a shop of its own. @returns the lines of each after its last step. */
async function linesAfter(scenarios: readonly (readonly Happening[])[]) {
  const { store, attribute, lines } = await world()
  for (let step = 0; scenarios.some(({ length }) => length > step); step++) {
    await store(scenarios.flatMap((steps, n) => steps.slice(step, step + 1).map((each) => inShop(each, n))))
    await attribute()
  }
  const all = await lines()
  return scenarios.map((_, n) => all.filter(({ shopId }) => shopId === `shop-${n}`))
}

function inShop(happening: Happening, n: number): Happening {
  const shopId = `shop-${n}`
  if (happening.topic !== 'judged-events') return { ...happening, value: { ...happening.value, shopId } } as Happening
  const { value } = happening
  return { ...happening, value: { ...value, eventId: `${value.eventId}-${n}`, claims: { ...value.claims, shopId } } }
}

describe('attributed transactions', () => {
  describe('versions of one event id', () => {
    const click = happened.touch({ eventId: 'e1', cid: 'a', at: T0, adId: 'p1' })
    const real = { eventId: 'o1', cid: 'a', at: T0 + 2 * HOUR, products: ['p1', 'p2'] }
    /** Sent later than the true order, but claims to be earlier. */
    const forged = { eventId: 'o1', cid: 'mallory', at: T0 + HOUR, receivedAt: T0 + 3 * HOUR, products: ['p9'] }

    const both = (a: Happening, b: Happening) => [
      [click, a, b],
      [click, b, a],
    ]

    it('of several versions of one event id, the one that the intake received first counts', async () => {
      for (const lines of await linesAfter(both(happened.purchase(real), happened.purchase(forged)))) {
        expect(lines).toMatchObject([
          { cid: 'a', shopProductId: 'p1', outcome: 'CREDITED' },
          { cid: 'a', shopProductId: 'p2' },
        ])
      }
    })

    it('of several versions of one event id, one with a proof counts, whenever it comes', async () => {
      const early = happened.purchase({ ...forged, receivedAt: T0 + 1 })
      const proofs = ['SIGNED', 'TOKEN'] as const
      const scenarios = proofs.flatMap((proof) => both(happened.purchase({ ...real, proof }), early))
      for (const [n, lines] of (await linesAfter(scenarios)).entries()) {
        const proof = proofs[Math.floor(n / 2)]
        expect(lines).toMatchObject([
          { cid: 'a', shopProductId: 'p1', outcome: 'CREDITED', proof },
          { cid: 'a', shopProductId: 'p2', proof },
        ])
      }
    })

    it('a version that counts takes the place of one with more lines and another time', async () => {
      const early = happened.purchase({ ...real, at: T0 + HOUR, products: ['p1', 'p1', 'p1'] })
      const proven = happened.purchase({ ...real, products: ['p1'], receivedAt: T0 + 3 * HOUR, proof: 'TOKEN' })
      for (const lines of await linesAfter(both(early, proven))) expect(lines).toMatchObject([{ outcome: 'CREDITED' }])
    })

    it('an imported version of an event id never displaces one that was sent live', async () => {
      const imported = happened.purchase({ ...real, products: ['p2'], receivedAt: T0, imported: true, proof: 'TOKEN' })
      for (const lines of await linesAfter(both(imported, happened.purchase(real)))) {
        expect(lines).toMatchObject([{ shopProductId: 'p1', outcome: 'CREDITED' }, {}])
      }
    })
  })

  it('anonymous purchases stay without credit from when the shop wants proof', async () => {
    const { store, attribute, lines, whatIf, explain } = await world()
    const shopOf = (version: number, at: number, transactionTrust: 'OPEN' | 'SIGNED_ONLY') =>
      happened.shop({ version, at, transactionTrust, clickWindowHours: 336, viewWindowHours: 24 })
    const sale = (eventId: string, hours: number, more: object = {}) =>
      happened.purchase({ eventId, cid: 'a', at: T0 + hours * HOUR, products: ['p1'], ...more })
    await store([
      shopOf(1, T0, 'OPEN'),
      happened.touch({ eventId: 'e1', cid: 'a', at: T0, adId: 'p1' }),
      sale('before', 1),
      sale('after', 3),
      sale('cart', 3, { kind: 'CART' }),
      sale('signed', 3, { proof: 'SIGNED' }),
    ])
    await attribute()
    const outcomes = async () => Object.fromEntries((await lines()).map((line) => [line.eventId, line.outcome]))
    expect(new Set(Object.values(await outcomes()))).toEqual(new Set(['CREDITED']))
    await store([shopOf(2, T0 + 2 * HOUR, 'SIGNED_ONLY')])
    await attribute()
    expect(await outcomes()).toEqual({ before: 'CREDITED', after: 'UNPROVEN', cart: 'CREDITED', signed: 'CREDITED' })
    expect((await whatIf('LINEAR')).map(({ eventId }) => eventId).sort()).toEqual(['before', 'cart', 'signed'])
    expect(await explain('after')).toEqual([])
    await store([sale('after', 3, { proof: 'TOKEN', receivedAt: T0 + 99 * HOUR })])
    await attribute()
    expect(await outcomes()).toMatchObject({ after: 'CREDITED' })
  })

  describe('returns', () => {
    const sale = happened.purchase({ eventId: 'o1', cid: 'a', at: T0, products: [['p1', 3], 'p2', ['p1', 2]] })
    const back = (returnId: string, ...lines: [string, number][]) =>
      happened.returned({ returnId, eventId: 'o1', at: T0 + HOUR, lines })
    const returnedIn = (lines: readonly StoredLine[]) =>
      lines.map(({ returnedQuantity, returnedMicros }) => [returnedQuantity, returnedMicros])
    const returnedOf = async (...scenarios: Happening[][]) => (await linesAfter(scenarios)).map(returnedIn)

    it('returns take units of a product from its lines in order, pro rata to the micro, before or after the purchase', async () => {
      const expected = [
        [3, 10_000_000],
        [0, 0],
        [1, 5_000_000],
      ]
      const returns = [back('r1', ['p1', 1]), back('r2', ['p1', 3])]
      const one = [
        [1, 3_333_333],
        [0, 0],
        [0, 0],
      ]
      const scenarios = [
        [sale, ...returns],
        [...returns, sale],
        [sale, back('r1', ['p1', 1])],
      ]
      expect(await returnedOf(...scenarios)).toEqual([expected, expected, one])
    })

    it('a return id counts once, as it was received first', async () => {
      const again = { ...back('r1', ['p1', 1]) }
      const other = happened.returned({ returnId: 'r1', eventId: 'o1', at: T0 + 2 * HOUR })
      const expected = [
        [1, 3_333_333],
        [0, 0],
        [0, 0],
      ]
      expect(await returnedOf([sale, other, again, again], [sale, again, other])).toEqual([expected, expected])
    })

    it('returns never take back more than was bought, nor what was not', async () => {
      const scenarios = [
        [sale, back('r1', ['p1', 99], ['p9', 1])],
        [sale, back('all'), back('r2', ['p2', 5])],
      ]
      expect(await returnedOf(...scenarios)).toEqual([
        [
          [3, 10_000_000],
          [0, 0],
          [2, 10_000_000],
        ],
        [
          [3, 10_000_000],
          [1, 10_000_000],
          [2, 10_000_000],
        ],
      ])
    })

    it('returns apply to purchases only, and to those of the same shop', async () => {
      const cart = happened.purchase({ eventId: 'o1', kind: 'CART', cid: 'a', at: T0, products: ['p1'] })
      const elsewhere = happened.purchase({ eventId: 'o1', shopId: 'other', cid: 'a', at: T0, products: ['p1'] })
      const { store, attribute, lines } = await world()
      for (const each of [cart, elsewhere, back('all')]) {
        await store([each])
        await attribute()
      }
      expect(returnedIn(await lines())).toEqual([
        [0, 0],
        [0, 0],
      ])
    })
  })

  it('lines that the version which counts does not have are taken away again', async () => {
    const { store, attribute, lines } = await world()
    await store([happened.purchase({ eventId: 'o1', cid: 'a', at: T0 + 5, products: ['p1', 'p2'] })])
    await attribute()
    expect(await lines()).toHaveLength(2)
    await store([happened.purchase({ eventId: 'o1', cid: 'a', at: T0, products: ['p3'] })])
    await attribute()
    expect(await lines()).toMatchObject([{ line: 0, shopProductId: 'p3' }])
  })
})
