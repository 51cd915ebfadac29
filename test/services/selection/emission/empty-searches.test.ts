import { describe, expect, it, test } from 'vitest'
import type { NewRecord } from '../../../../infra/event-log/port.ts'
import type { EmptySearch } from '../../../../schemas/records/events.ts'
import { decode } from '../../../../schemas/wire/codec.ts'
import type { AdBid } from '../../../../services/selection/ad-steps.ts'
import type { FilledSlot } from '../../../../services/selection/emission/emission.ts'
import { createEmptySearches } from '../../../../services/selection/emission/empty-searches.ts'
import { noteworthyPhrase } from '../../../../services/selection/searched-phrase.ts'
import type { AnySlot } from '../../../../services/selection/slots.ts'
import { createWorld } from '../world.ts'

type Filled = FilledSlot<AnySlot, AdBid>

function open() {
  const clock = { now: 1_000_000 }
  const records: NewRecord[] = []
  const searches = createEmptySearches({ append: (more) => records.push(...more), elapsedMs: () => clock.now })
  const noted = () => records.map(({ value }) => decode('EmptySearch', value!) as EmptySearch)
  const search = (searchData: string, cid = 'ann', more: object = {}, targeting: object = {}) => {
    const slot = {
      shopId: 'shop',
      shop: { lang: 'en' },
      algorithm: 'CONTEXT_MATCH',
      targeting: { searchData, ...targeting },
    }
    const filled = { slot, ads: [], dropped: [], candidates: 0, shortfall: 'NO_CANDIDATES', ...more }
    searches.note([filled as unknown as Filled], { cid, now: clock.now })
  }
  return { clock, noted, search }
}

describe('searches that found nothing', () => {
  it('are noted by shop and phrase, with what tells people apart', () => {
    const { noted, search } = open()
    search('  Paper\tLAMP ')
    search('paper lamp', 'bob')
    const [first, second] = noted()
    expect(first).toEqual({ shopId: 'shop', phrase: 'paper lamp', person: first!.person, occurredAt: 1_000_000 })
    expect(second!.phrase).toBe('paper lamp')
    expect(second!.person).not.toBe(first!.person)
  })

  it('name a person by another number for every phrase', () => {
    const { noted, search } = open()
    search('paper lamp')
    search('glass lamp')
    const [first, second] = noted()
    expect(second!.person).not.toBe(first!.person)
  })

  it('are not noted when anything was found, or more than a phrase was asked for', () => {
    const { noted, search } = open()
    search('lamp', 'ann', { candidates: 1 })
    search('lamp', 'ann', { dropped: [{}] })
    search('lamp', 'ann', { shortfall: 'DEADLINE' })
    search('lamp', 'ann', { shortfall: null })
    search('lamp', 'ann', {}, { brand: 'Acme' })
    search('lamp', 'ann', {}, { categoryPaths: ['Home'] })
    search('lamp', 'ann', {}, { priceMax: 5 })
    search('', 'ann')
    expect(noted()).toEqual([])
  })

  it('of one person count once in ten minutes', () => {
    const { clock, noted, search } = open()
    search('lamp')
    clock.now += 599_999
    search('lamp')
    expect(noted()).toHaveLength(1)
    clock.now += 2
    search('lamp')
    expect(noted()).toHaveLength(2)
  })

  it('are at most 300 a minute and shop', () => {
    const { clock, noted, search } = open()
    for (let i = 0; i < 400; i++) search(`lamp ${i}`)
    expect(noted()).toHaveLength(300)
    clock.now += 60_001
    search('another lamp')
    expect(noted()).toHaveLength(301)
  })

  it('are noted again in time although the clock is set back', async () => {
    const world = await createWorld()
    const search = () => world.ids('CONTEXT_MATCH', { searchData: 'lamp' }, { headers: { cid: 'ann' } })
    const noted = () => world.log.records.filter(({ topic }) => topic === 'empty-searches').length
    await search()
    world.setBackMs = 3_600_000
    world.now += 600_001 - world.setBackMs
    await search()
    await expect.poll(noted).toBe(2)
    await world.close()
  })

  test.each([
    ['Ｐａｐｅｒ  Lamp', 'paper lamp'],
    ['4006381333931', '4006381333931'],
    ['rtx 2060', 'rtx 2060'],
    ['ann@shop.example', null],
    ['+49 170 1234567', null],
    ['0170/1234567', null],
    ['?!', null],
    ['x'.repeat(81), null],
  ])('count %s as %s', (text, phrase) => expect(noteworthyPhrase(text)).toBe(phrase))
})
