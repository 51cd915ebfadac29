import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitsReferer, refererAddress, refererPatterns } from '../../../../services/domain/campaign/referer.ts'
import { tries } from '../../../effort.ts'

const fits = (referer: string, pattern: string) => fitsReferer(refererAddress(referer), refererPatterns([pattern]))

describe('a referer pattern', () => {
  const page = 'https://Shop.example:8080/Lamps/desk?page=2&q=a#top'

  it.each([
    'https://shop.example:8080/lamps/desk?page=2&q=a',
    'shop.example:8080/lamps/desk?page=2&q=a',
    '/lamps/desk?page=2&q=a',
    'https://shop.example:8080/lamps/desk',
    'shop.example:8080/lamps/desk',
    '/lamps/desk',
    ' /LAMPS/Desk ',
    '/lamps/*',
    '*/desk',
    '*page=2*',
    '*',
    '*.example*/lamps/*k',
    'https://*/desk',
  ])('%s fits a page of the shop', (pattern) => {
    expect(fits(page, pattern)).toBe(true)
  })

  it.each(['/lamps', '/lamps/', 'lamps/desk', 'http://*', '/lamps/desk#top', 'shop.example/*', '/desk*lamps*', ''])(
    '%s does not',
    (pattern) => {
      expect(fits(page, pattern)).toBe(false)
    },
  )

  it('is held against relative paths, with or without a slash, which have no host', () => {
    for (const referer of ['/lamps/desk?x=1', 'lamps/desk']) {
      expect(fits(referer, '/lamps/*')).toBe(true)
      expect(fits(referer, '*/lamps/desk')).toBe(true)
      expect(fits(referer, 'shop.example/lamps/*')).toBe(false)
    }
  })

  it('reads addresses as they are written, encoded or not, and survives those that are neither', () => {
    expect(fits('https://shop.example/%C5%BC%C3%B3%C5%82te-lampy', '/żółte-*')).toBe(true)
    expect(fits('https://shop.example', 'shop.example/')).toBe(true)
    expect(fits('//shop.example/a', 'shop.example/a')).toBe(true)
    expect(fits('https://shop.example/100%', '/100%')).toBe(true)
    for (const odd of ['', '#', '?', '://', 'about:blank', 'https://', '%']) expect(fits(odd, '/lamps')).toBe(false)
  })

  it('agrees with a regular expression', () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.'), maxLength: 12 })
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 6 })
    fc.assert(
      fc.property(few, pattern, (text, wild) => {
        const path = `/${text}`
        if (path.startsWith('//')) return
        const expression = new RegExp(`^${wild.replaceAll('*', '.*')}$`)
        expect(fits(path, wild)).toBe(expression.test(path))
      }),
      { numRuns: tries(2_000, 20_000) },
    )
  })

  it('is held against as much of an address as browsers send', () => {
    const address = `https://shop.example/${'a'.repeat(4_096)}`
    expect(fits(`${address}/lamps`, '*a')).toBe(true)
    expect(fits(`${address}/lamps`, '*lamps')).toBe(false)
  })

  it('takes no longer for patterns of many wildcards', () => {
    const address = `/${'a'.repeat(15_000)}`
    expect(fits(address, `${'*a'.repeat(10)}*b`)).toBe(false)
  })
})
