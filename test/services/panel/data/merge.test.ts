import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergedFields, mergedLines } from '../../../../services/panel/web/data/changes/merge.ts'

const lines = fc.uniqueArray(fc.constantFrom('a, b', 'c => d', '# lamps', 'e, f', 'g, h'))
const textOf = (each: readonly string[]) => each.join('\n')

describe('lines that two people change', () => {
  it('are those of others, with what was added and without what was removed here', () => {
    const base = 'sofa, couch\nlamp, light\nrug, carpet'
    const own = 'sofa, couch\nrug, carpet\nbin, basket'
    const others = 'sofa, settee\nlamp, light\nrug, carpet'
    expect(mergedLines({ base, own, others })).toBe('sofa, settee\nrug, carpet\nbin, basket')
  })

  it('begin without an empty line where there was no text', () => {
    expect(mergedLines({ base: '', own: '\nbin, basket', others: 'sofa, couch' })).toBe('sofa, couch\nbin, basket')
  })

  it('are those of others, to the letter, when nothing was changed here', () => {
    const others = 'a, b\n\n# lamps\n'
    expect(mergedLines({ base: 'a, b', own: 'a, b', others })).toBe(others)
  })

  it('keep each change of either, once, in whatever order they come', () => {
    fc.assert(
      fc.property(lines, lines, lines, (base, own, others) => {
        const merged = mergedLines({ base: textOf(base), own: textOf(own), others: textOf(others) })
        const wanted = [...new Set([...base, ...own, ...others])].filter((line) => {
          const [was, here, there] = [base, own, others].map((each) => each.includes(line))
          // Of two people, one has changed the line, or both have in the same way.
          return was ? here && there : here || there
        })
        expect(merged.split('\n').filter(Boolean).sort()).toEqual(wanted.sort())
      }),
    )
  })
})

describe('fields that two people change', () => {
  const base = { name: 'Brand', sellers: ['a'], display: false }

  it('are those of others, with what was changed here', () => {
    const own = { ...base, sellers: ['a', 'b'] }
    const others = { ...base, display: true }
    const values = { name: 'Brand', sellers: ['a', 'b'], display: true }
    expect(mergedFields({ base, own, others })).toEqual({ values, clashes: [] })
  })

  it('keep what was changed here, and name what others have changed to something else', () => {
    const own = { ...base, name: 'Mine', sellers: ['b'] }
    const others = { ...base, name: 'Theirs', sellers: ['b'] }
    expect(mergedFields({ base, own, others })).toEqual({
      values: own,
      clashes: [{ field: 'name', own: 'Mine', others: 'Theirs' }],
    })
  })

  it('clash only where all three values differ, and lose no change of either', () => {
    const fields = fc.record({ a: fc.integer({ max: 2, min: 0 }), b: fc.boolean() })
    fc.assert(
      fc.property(fields, fields, fields, (was, own, others) => {
        const { values, clashes } = mergedFields({ base: was, own, others })
        for (const field of ['a', 'b'] as const) {
          const [before, here, there] = [was[field], own[field], others[field]]
          expect(values[field]).toBe(here === before ? there : here)
          expect(clashes.some((clash) => clash.field === field)).toBe(new Set([before, here, there]).size === 3)
        }
      }),
    )
  })
})
