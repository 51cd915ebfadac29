import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import {
  commonDepth,
  isSameOrBelow,
  nodesInOrder,
  pathAndAbove,
  pathKey,
  pathLevels,
} from '../../../../services/domain/catalogue/categories.ts'

/** Whether one path is at or below the other. */
const isAtOrBelow = (path: string, above: string) => isSameOrBelow(pathLevels(path), pathLevels(above))
const hasNodes = (path: string, nodes: string[]) => nodesInOrder(pathLevels(path), nodes.flatMap(pathLevels))

const level = fc.constantFrom('a', 'b', 'c')
const levels = fc.array(level, { minLength: 1, maxLength: 5 })

describe('category paths', () => {
  test('case, accents, spaces and empty levels do not matter', () => {
    expect(pathLevels(' Électronique >TV  &  Vidéo>> ')).toEqual(['electronique', 'tv & video'])
    expect(pathKey('A > B')).toBe('a>b')
    expect(pathKey(' > ')).toBe('')
  })

  test('a path lies below itself and every path above it, and below no other', () => {
    expect(isAtOrBelow('A > B > C', 'a>b')).toBe(true)
    expect(isAtOrBelow('A > Bc', 'A > B')).toBe(false)
    expect(isAtOrBelow('A', 'A > B')).toBe(false)
    expect(isAtOrBelow('A', ' ')).toBe(false)
    expect(pathAndAbove('A > B > C')).toEqual(['a', 'a>b', 'a>b>c'])
  })

  test('of a path as deep as its length allows, 32 levels count', () => {
    const deep = 'a>'.repeat(375)
    expect(pathLevels(deep)).toEqual(Array(32).fill('a'))
    expect(pathAndAbove(deep)).toHaveLength(32)
    expect(pathKey(deep)).toBe(pathAndAbove(deep).at(-1))
    expect(isAtOrBelow(deep, deep)).toBe(true)
    expect(hasNodes(deep, [deep])).toBe(true)
  })

  test('levels that do not count are not normalised', () => {
    const normalised = vi.spyOn(String.prototype, 'toLowerCase')
    expect(pathLevels('É>'.repeat(374))).toHaveLength(32)
    const calls = normalised.mock.calls.length
    normalised.mockRestore()
    expect(calls).toBeLessThan(100)
  })

  test('a product lies at or below a path exactly when the path is among its own and those above', () => {
    fc.assert(
      fc.property(levels, levels, (product, wanted) => {
        const [a, b] = [product.join(' > '), wanted.join('>')]
        expect(isAtOrBelow(a, b)).toBe(pathAndAbove(a).includes(pathKey(b)))
      }),
    )
  })

  test('nodes stand in order with gaps, which is what a pattern of them says', () => {
    fc.assert(
      fc.property(levels, levels, (product, nodes) => {
        const pattern = new RegExp(`^.*${nodes.join('.*')}.*$`)
        expect(hasNodes(product.join('>'), nodes)).toBe(pattern.test(product.join('')))
      }),
    )
    expect(hasNodes('A > B', [])).toBe(false)
    expect(hasNodes('A > B > C', ['a > c'])).toBe(true)
  })

  test('common depth counts levels from the top', () => {
    expect(commonDepth(['a', 'b', 'c'], ['a', 'b', 'd', 'c'])).toBe(2)
    expect(commonDepth([], ['a'])).toBe(0)
  })
})
