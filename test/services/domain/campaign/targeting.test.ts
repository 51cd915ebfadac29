import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DisplayAlgorithm } from '../../../../schemas/records/entities.ts'
import { refererForms } from '../../../../services/domain/campaign/referer.ts'
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
  refererForms: fc.constantFrom([], ...['/a', '/lamps/desk', 'https://a.example/lamps/desk?x'].map(refererForms)),
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
