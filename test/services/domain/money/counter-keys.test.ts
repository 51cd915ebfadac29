import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dayIn, viewsKey } from '../../../../services/domain/money/counter-keys.ts'
import { tries } from '../../../effort.ts'

const utc = (text: string) => Date.parse(`${text}Z`)

it('cuts days at midnight of the zone, also where summer time begins', () => {
  expect(dayIn('Europe/Warsaw', utc('2026-03-28T22:59:59.999'))).toBe('2026-03-28')
  expect(dayIn('Europe/Warsaw', utc('2026-03-28T23:00:00'))).toBe('2026-03-29')
  expect(dayIn('Europe/Warsaw', utc('2026-03-29T21:59:59.999'))).toBe('2026-03-29')
  expect(dayIn('Europe/Warsaw', utc('2026-03-29T22:00:00'))).toBe('2026-03-30')
})

it('cuts days right in zones off the full hour', () => {
  expect(dayIn('Asia/Kathmandu', utc('2026-01-01T18:14:59.999'))).toBe('2026-01-01')
  expect(dayIn('Asia/Kathmandu', utc('2026-01-01T18:15:00'))).toBe('2026-01-02')
})

it('gives the day of the moment whatever was asked before', () => {
  const zone = fc.constantFrom('UTC', 'Europe/Warsaw', 'Australia/Lord_Howe', 'America/St_Johns', 'Pacific/Chatham')
  const moment = fc.integer({ min: utc('2000-01-02T00:00'), max: utc('2040-01-01T00:00') })
  fc.assert(
    fc.property(zone, moment, (zone, at) => {
      const parts = new Date(at).toLocaleDateString('de-DE', { timeZone: zone, dateStyle: 'short' }).split('.')
      const [day, month, year] = parts.map((part) => part.padStart(2, '0'))
      expect(dayIn(zone, at)).toBe(`20${year}-${month}-${day}`)
    }),
  )
})

it('never gives two people or ads one counter', () => {
  const id = fc.stringMatching(/^[a1:/]{0,4}$/)
  const seen = new Map<string, string>()
  fc.assert(
    fc.property(fc.constantFrom('cid' as const, 'uid' as const), id, id, (by, adId, person) => {
      const key = viewsKey(0, by, { campaignId: 'c', adId }, '2026-01-01', person).id
      const subject = JSON.stringify([by, adId, person])
      expect(seen.get(key) ?? subject).toBe(subject)
      seen.set(key, subject)
    }),
    { numRuns: tries(2_000, 20_000) },
  )
})
