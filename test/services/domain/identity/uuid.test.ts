import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createUuid, inBlocks } from '../../../../services/domain/identity/uuid.ts'

describe('ids', () => {
  it('are UUIDs of version 7, as the example of RFC 9562, appendix A.6', () => {
    const bits = Buffer.from('000000000000cc363137000c0c07398f', 'hex')
    const uuid = createUuid({ now: () => 0x017f22e279b0, randomBytes: () => bits })()
    expect(uuid).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
  })

  it('sort in the order in which they were made, whatever the clock does', () => {
    const clocks = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(clocks, (times) => {
        let i = 0
        const uuid = createUuid({ now: () => times[i++ % times.length]!, randomBytes })
        const made = Array.from({ length: 300 }, uuid)
        expect(made.toSorted()).toEqual(made)
        expect(new Set(made).size).toBe(made.length)
        for (const id of made) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
      }),
    )
  })

  it('keep their order over more than one millisecond can count', () => {
    const uuid = createUuid({ now: () => 1, randomBytes: () => Buffer.alloc(16, 0xff) })
    const made = Array.from({ length: 10_000 }, uuid)
    expect(made.toSorted()).toEqual(made)
    expect(new Set(made).size).toBe(made.length)
  })

  it('take random bytes from blocks, each byte once', () => {
    const blocks: Buffer[] = []
    const draw = inBlocks((size) => {
      blocks.push(randomBytes(size))
      return blocks.at(-1)!
    })
    const sizes = [16, 4080, 16, 5000, 1]
    const drawn = sizes.map(draw)
    expect(drawn.map(({ length }) => length)).toEqual(sizes)
    const [first, second, third, fourth] = blocks
    expect(Buffer.concat(drawn.slice(0, 2))).toEqual(first)
    expect(drawn[2]).toEqual(second!.subarray(0, 16))
    expect(drawn[3]).toEqual(third)
    expect(drawn[4]).toEqual(fourth!.subarray(0, 1))
  })
})
