import { describe, expect, it } from 'vitest'
import { isCountry, isCurrency, isTimeZone } from '../../../services/domain/codes.ts'

describe('codes', () => {
  it('know the currencies of ISO 4217', () => {
    expect(['EUR', 'PLN', 'USD', 'JPY'].every(isCurrency)).toBe(true)
    expect(['eur', 'EURO', 'ABC', ''].some(isCurrency)).toBe(false)
  })

  it('know the countries of ISO 3166-1, all 249, and no region beside them', () => {
    expect(['PL', 'DE', 'GB', 'US'].every(isCountry)).toBe(true)
    expect(['pl', 'UK', 'EU', 'ZZ', 'XX', 'POL', ''].some(isCountry)).toBe(false)
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    expect(letters.flatMap((a) => letters.map((b) => a + b)).filter(isCountry)).toHaveLength(249)
  })

  it('know the time zones of IANA in their own spelling, aliases too', () => {
    expect(['UTC', 'Europe/Warsaw', 'Europe/Kyiv', 'Europe/Kiev', 'America/Port-au-Prince'].every(isTimeZone)).toBe(
      true,
    )
    expect(['europe/warsaw', 'Utc', '+01:00', 'Mars/Base', '', 'Europe/Warsaw '].some(isTimeZone)).toBe(false)
  })
})
