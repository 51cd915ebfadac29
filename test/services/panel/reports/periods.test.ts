import { describe, expect, it } from 'vitest'
import { hoursIn, periodIn } from '../../../../services/panel/web/pages/reports/controls/periods.ts'

const allHours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))
const hoursOf = (day: string, timeZone?: string) =>
  hoursIn({ from: day, until: day }, timeZone).map((hour) => hour.replace(`${day}T`, ''))

describe('the hours of a chart', () => {
  it.each([
    ['2026-07-01', 'Europe/Warsaw'],
    ['2026-07-01', 'Asia/Kolkata'],
    ['2026-07-01', 'Pacific/Kiritimati'],
    ['2026-03-29', undefined],
  ])('are all of %s in %s', (day, timeZone) => {
    expect(hoursOf(day, timeZone)).toEqual(allHours)
  })

  it.each([
    ['2026-03-29', 'Europe/Warsaw', '02'],
    ['2026-03-08', 'America/New_York', '02'],
    ['2026-04-24', 'Africa/Cairo', '00'],
  ])('are, on %s in %s, those that the clock shows', (day, timeZone, leftOut) => {
    expect(hoursOf(day, timeZone)).toEqual(allHours.filter((hour) => hour !== leftOut))
  })

  it('keep an hour of which the clock leaves out a half', () => {
    expect(hoursOf('2026-10-04', 'Australia/Lord_Howe')).toEqual(allHours)
  })

  it('have once the hour that comes twice', () => {
    expect(hoursOf('2026-10-25', 'Europe/Warsaw')).toEqual(allHours)
  })

  it('follow each other over several days', () => {
    const hours = hoursIn({ from: '2026-03-28', until: '2026-03-30' }, 'Europe/Warsaw')
    expect(hours).toHaveLength(71)
    expect(hours).toEqual(hours.toSorted())
  })
})

it('the period of an address is its days or its preset; otherwise the last 28 days', () => {
  const periodOf = (search: string) => periodIn(new URLSearchParams(search))
  expect(periodOf('from=2026-03-01&until=2026-03-01')).toEqual({ from: '2026-03-01', until: '2026-03-01' })
  expect(periodOf('period=last-week')).toBe('last-week')
  for (const invalid of ['', 'period=ever', 'from=2026-03-02&until=2026-03-01', 'from=2026-02-30&until=2026-03-01']) {
    expect(periodOf(invalid)).toBe('28-days')
  }
})
