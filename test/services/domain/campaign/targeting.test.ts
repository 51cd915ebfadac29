import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DisplayAlgorithm } from '../../../../schemas/records/entities.ts'
import { NO_ADDRESS, refererAddress } from '../../../../services/domain/campaign/referer.ts'
import { compileTargeting, fits, type Page } from '../../../../services/domain/campaign/targeting.ts'
import { keysOfPage, keysOfTargeting } from '../../../../services/domain/campaign/targeting-keys.ts'
import { tries } from '../../../effort.ts'

const word = fc.constantFrom('lamp', 'desk', 'red')
const list = <T>(value: fc.Arbitrary<T>) => fc.array(value, { maxLength: 2 })
const path = fc.constantFrom('home', 'home>lamps', 'garden')
const value = fc.constantFrom('a', 'b')
const targeting = fc.record({
  phrases: list(fc.array(word, { minLength: 1, maxLength: 2 }).map((words) => words.join(' '))),
  categoryPaths: list(path),
  brands: list(value),
  productIds: list(value),
  profiles: list(value),
  refererPatterns: list(fc.constantFrom('/a', '/lamps/*', '*desk', 'https://*', '*')),
})
const page: fc.Arbitrary<Page> = fc.record({
  texts: list(fc.subarray(['lamp', 'desk', 'red']).map((words) => new Set(words))),
  categories: list(path).map((keys) => new Set(keys)),
  brands: list(value).map((keys) => new Set(keys)),
  productIds: list(value).map((keys) => new Set(keys)),
  profiles: list(value).map((keys) => new Set(keys)),
  address: fc.constantFrom(NO_ADDRESS, ...['/a', '/lamps/desk', 'https://a.example/lamps/desk?x'].map(refererAddress)),
})
const rule = fc.constantFrom<DisplayAlgorithm>('DISPLAY', 'DISPLAY_PHRASE_OR_CATEGORY')

it('a campaign that fits a page is filed under a key of the page', () => {
  let met = 0
  fc.assert(
    fc.property(targeting, page, rule, (lists, where, how) => {
      const compiled = compileTargeting(lists, 'en')
      if (!fits(compiled, where, how)) return
      met++
      const keys = keysOfPage(where)
      expect([...keysOfTargeting(compiled)].some((key) => keys.has(key))).toBe(true)
    }),
    { numRuns: tries(5_000, 50_000) },
  )
  expect(met).toBeGreaterThan(100)
})

it('a page meets few campaigns that do not fit: each is filed under its most telling values only', () => {
  const telling = { phrases: [], categoryPaths: [], brands: ['b'], productIds: ['p'], profiles: ['young'] }
  const keys = keysOfTargeting(compileTargeting({ ...telling, refererPatterns: ['/a*'] }, 'en'))
  expect([...keys]).toEqual(['product p'])
})

it('a page is compared only with patterns that share a part with its address', () => {
  const refererPatterns = Array.from({ length: 1_000 }, (_, i) => `*/c${i}/*`)
  const telling = { phrases: [], categoryPaths: [], brands: [], productIds: [], profiles: [] }
  const known = refererAddress(`https://shop.example${'/c'.repeat(2_000)}/c999/?q=1`)
  let compared = 0
  const forms = new Proxy(known.forms, {
    get(target, name) {
      if (name === 'some') compared++
      return Reflect.get(target, name)
    },
  })
  const none = { texts: [], categories: new Set<string>(), brands: new Set<string>(), productIds: new Set<string>() }
  const page = { ...none, profiles: new Set<string>(), address: { ...known, forms } }
  expect(fits(compileTargeting({ ...telling, refererPatterns }, 'en'), page, 'DISPLAY')).toBe(true)
  expect(compared).toBe(1)
})
