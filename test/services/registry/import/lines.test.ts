import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linesOf, type TextLine } from '../../../../services/registry/import/lines.ts'

async function* chunksOf(bytes: Buffer, sizes: number[]) {
  let start = 0
  for (let i = 0; start < bytes.length; i++) {
    const end = start + (sizes[i % sizes.length] ?? 1)
    yield bytes.subarray(start, end)
    start = end
  }
}

async function read(text: string, sizes = [7], lineMaxBytes = 1000): Promise<TextLine[]> {
  return Array.fromAsync(linesOf(chunksOf(Buffer.from(text), sizes), { lineMaxBytes }))
}

describe('linesOf', () => {
  it('cuts the same lines, however the bytes arrive', async () => {
    const text = fc.array(fc.string({ unit: fc.constantFrom('a', 'ż', '💥', ' ', '\r', '"') }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (parts, sizes) => {
        const expected = parts
          .map((part, i) => ({ number: i + 1, text: part.trim() }))
          .filter((line) => line.text !== '')
        expect(await read(parts.join('\n'), sizes)).toEqual(expected)
        expect(await read(`${parts.join('\r\n')}\r\n`, sizes)).toEqual(expected)
      }),
    )
  })

  it('names a line that is too long and reads on behind it', async () => {
    const lines = await read(`ok\n${'x'.repeat(50)}\nfine`, [8], 10)
    expect(lines).toEqual([
      { number: 1, text: 'ok' },
      { number: 2, text: null },
      { number: 3, text: 'fine' },
    ])
  })

  it('drops a byte order mark', async () => {
    expect(await read('\uFEFF{}\n{}')).toEqual([
      { number: 1, text: '{}' },
      { number: 2, text: '{}' },
    ])
  })
})
