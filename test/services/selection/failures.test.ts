import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BruteForceIndex, bruteForceIndex } from './brute-force-index.ts'
import { createWorld, type World } from './world.ts'

/** Tests wait for it to pass. */
const DEADLINE_MS = 300
/** A busy machine may stop a test for a while: where no deadline is to pass, none may. */
const PATIENT_DEADLINE_MS = 10_000

let world: World
let index: BruteForceIndex
async function openWorld(deadlineMs: number): Promise<void> {
  index = bruteForceIndex([])
  world = await createWorld({ index, deadlineMs })
  index.products = world.products
}
afterEach(() => world.close())

const slot = (changes: object = {}) => ({ slotHash: world.unit('BESTSELLERS'), adCount: 2, ...changes })
const shortfalls = async () => (await world.emissions()).at(-1)!.slots.map((s) => s.shortfall)

describe('an index that does not answer', () => {
  beforeEach(() => openWorld(DEADLINE_MS))

  it('leaves slots empty after the deadline, and is counted', async () => {
    world.offer([world.campaign()])
    index.before = () => new Promise(() => {})
    expect(await world.ads([slot(), slot()])).toEqual([[], []])
    expect(await shortfalls()).toEqual(['DEADLINE', 'DEADLINE'])
    expect(world.selections.at(-1)!.shortfalls).toEqual(['DEADLINE', 'DEADLINE'])
  })

  it('does not hold up what is already known', async () => {
    world.offer([world.campaign()])
    expect(await world.ads([slot()])).not.toEqual([[]])
    index.before = () => new Promise(() => {})
    const answers = await world.ads([slot({ searchData: 'something else' }), slot()])
    expect(answers.map((ads) => ads.length)).toEqual([0, 1])
  })

  it('does not take back the paid ads when self-promotion is late', async () => {
    world.offer([world.campaign()])
    world.offer([world.campaign({ autoPromo: true })])
    const searched = index.before
    index.before = () => (index.searches > 1 ? new Promise(() => {}) : searched())
    expect((await world.ads([slot()]))[0]).toHaveLength(1)
    expect(await shortfalls()).toEqual(['DEADLINE'])
  })

  it('does not take back what is shown when more of a cut list is late', async () => {
    world.offer([world.campaign({ capping: 1 })], { id: 'best', itemGroupId: 'g' })
    const other = world.campaign({ cpcMicros: 200_000 })
    for (let i = 0; i < 40; i++) world.offer([other], { itemGroupId: 'g' })
    const shown = async () => (await world.ads([slot()], { headers: { cid: 'c' } }))[0]!.map((ad) => ad.shopProductId)
    index.before = () => (index.searches > 1 ? new Promise(() => {}) : Promise.resolve())
    expect(await shown()).toEqual(['best'])
    expect(await shortfalls()).toEqual(['DEADLINE'])
    index.before = async () => {}
    world.now += 2_000
    expect(await shown()).not.toContain('best')
  })
})

describe('an index', () => {
  beforeEach(() => openWorld(PATIENT_DEADLINE_MS))

  it('is never an error to the page when it fails', async () => {
    world.offer([world.campaign()])
    index.before = () => Promise.reject(new Error('down'))
    expect(await world.ads([slot(), { slotHash: world.unit('ALSO_BOUGHT'), adCount: 1, shopProductId: 'p1' }])).toEqual(
      [[], []],
    )
    expect(await shortfalls()).toEqual(['DEADLINE', 'DEADLINE'])
    index.before = async () => {}
    world.now += 1_000
    expect((await world.ads([slot()]))[0]).toHaveLength(1)
  })

  it('is asked once by many who ask the same at one time', async () => {
    world.offer([world.campaign()])
    await Promise.all(Array.from({ length: 20 }, () => world.ads([slot({ adType: 'SPONSORED' })])))
    expect(index.searches).toBe(1)
  })

  it('is not asked again for a second, and never for what is two seconds old', async () => {
    world.offer([world.campaign()])
    const ask = async () => (await world.ads([slot({ adType: 'SPONSORED' })]))[0]!.length
    expect(await ask()).toBe(1)
    world.products.length = 0
    world.now += 999
    expect(await ask()).toBe(1)
    expect(index.searches).toBe(1)
    world.now += 1001
    expect(await ask()).toBe(0)
  })
})

describe('emissions', () => {
  beforeEach(() => openWorld(PATIENT_DEADLINE_MS))

  it('record what was asked, shown and left out, keyed by cid', async () => {
    const campaign = world.campaign({ cpcMicros: 200_000 })
    for (let i = 1; i <= 15; i++) world.offer([campaign], {}, { popularity: 100 - i })
    const [ads] = await world.ads([slot({ country: 'DE' })], { headers: { cid: 'c', uid: 'u' } })
    const [emission] = await world.emissions()
    expect(world.log.records[0]).toMatchObject({ topic: 'emissions', key: 'c' })
    expect(emission).toMatchObject({
      requestId: ads![0]!.requestId,
      shopId: world.shopId,
      kind: 'SPONSORED',
      cid: 'c',
      uid: 'u',
      occurredAt: world.now,
      country: 'DE',
      slots: [{ slotHash: world.unit('BESTSELLERS'), algorithm: 'BESTSELLERS', candidates: 15, shortfall: null }],
    })
    expect(emission!.slots[0]!.ads.map((ad) => ad.adId)).toEqual(['p1', 'p2'])
    expect(emission!.slots[0]!.dropped.map((ad) => [ad.adId, ad.reason])).toEqual(
      Array.from({ length: 10 }, (_, i) => [`p${i + 3}`, 'OUTRANKED']),
    )
  })

  it('do not hold up the answer, and are written once the log takes them', async () => {
    world.offer([world.campaign()])
    let down = true
    world.log.before = () => (down ? Promise.reject(new Error('down')) : Promise.resolve())
    for (let i = 0; i < 5; i++) await world.ads([slot()])
    expect(world.log.records).toHaveLength(0)
    await sleep(30)
    down = false
    expect(await world.emissions()).toHaveLength(5)
    expect(new Set(world.log.records).size).toBe(5)
  })

  it('are written before the server has closed', async () => {
    world.offer([world.campaign()])
    await world.ads([slot()])
    await world.close()
    expect(world.log.records).toHaveLength(1)
    expect(world.lost).toBe(0)
  })
})
