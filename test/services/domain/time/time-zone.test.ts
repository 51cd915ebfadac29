import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { offsetSpans, offsetText, startOfDay } from '../../../../services/domain/time/time-zone.ts'
import { tries } from '../../../effort.ts'

const at = (time: string) => Date.parse(time)

describe('offsetSpans', () => {
  it('finds when clocks change, to the millisecond', () => {
    expect(offsetSpans('Europe/Warsaw', at('2026-01-01T00:00:00Z'), at('2027-01-01T00:00:00Z'))).toEqual([
      { start: at('2026-01-01T00:00:00Z'), offsetMs: 3_600_000 },
      { start: at('2026-03-29T01:00:00Z'), offsetMs: 7_200_000 },
      { start: at('2026-10-25T01:00:00Z'), offsetMs: 3_600_000 },
    ])
  })

  it('has one span for a zone without changes', () => {
    expect(offsetSpans('Asia/Kathmandu', 0, at('1970-06-01T00:00:00Z'))).toHaveLength(1)
  })

  it('agrees with the clock of the zone at any moment', () => {
    const zones = [
      'Europe/Warsaw',
      'America/New_York',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
      'Asia/Kathmandu',
      'UTC',
    ]
    const from = at('2026-01-01T00:00:00Z')
    const to = at('2027-01-01T00:00:00Z')
    const spans = new Map(zones.map((zone) => [zone, offsetSpans(zone, from, to)]))
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: from, max: to - 1 }), (timeZone, moment) => {
        const { offsetMs } = spans.get(timeZone)!.findLast(({ start }) => start <= moment)!
        const shown = (zone: string, time: number) =>
          new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(time)
        expect(shown('UTC', moment + offsetMs)).toBe(shown(timeZone, moment))
      }),
      { numRuns: tries(300, 3_000) },
    )
  })
})

describe('startOfDay', () => {
  it.each([
    ['2026-03-29', 'Europe/Warsaw', '2026-03-28T23:00:00Z'],
    ['2026-03-30', 'Europe/Warsaw', '2026-03-29T22:00:00Z'],
    // Clocks jump from 00:00 to 01:00, so the day begins at one.
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00Z'],
    // Clocks go back from 01:00 to 00:00, so the day begins at the first midnight.
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00Z'],
    ['2026-01-01', 'Asia/Kathmandu', '2025-12-31T18:15:00Z'],
    ['2026-01-01', 'Pacific/Kiritimati', '2025-12-31T10:00:00Z'],
  ])('%s in %s is %s', (day, zone, start) => {
    expect(new Date(startOfDay(day, zone)).toISOString()).toBe(new Date(start).toISOString())
  })
})

it('offsetText is the end of an ISO 8601 time', () => {
  expect([0, 3_600_000, -12_600_000, 20_700_000].map(offsetText)).toEqual(['+00:00', '+01:00', '-03:30', '+05:45'])
})
