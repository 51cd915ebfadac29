import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvOf } from '../../../../services/registry/resources/csv.ts'

type Cell = string | number | bigint | null

const COLUMNS = ['a', 'b,c', 'd']

/** A parser for RFC 4180 that reads character by character. */
function parse(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!
    if (quoted) {
      if (character !== '"') cell += character
      else if (text[i + 1] === '"') cell += text[++i]
      else quoted = false
    } else if (character === '"') quoted = true
    else if (character === ',') {
      row.push(cell)
      cell = ''
    } else if (character === '\r' && text[i + 1] === '\n') {
      rows.push([...row, cell])
      row = []
      cell = ''
      i++
    } else cell += character
  }
  return rows
}

const written = (rows: readonly Cell[][]) => {
  const named = rows.map((row) => Object.fromEntries(row.map((cell, index) => [COLUMNS[index]!, cell])))
  return text(csvOf(COLUMNS, named, { bigint: (value) => `${value}n` }))
}
const readBack = async (rows: readonly Cell[][]) => parse(await written(rows))

it('can be read back, whatever the text', async () => {
  const word = fc
    .string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', "'", ' ', 'ż') })
    .filter((each) => !each.startsWith('\r'))
  const cell = fc.oneof(word, fc.integer(), fc.bigInt({ min: 0n }), fc.constant(null))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(cell, { minLength: 3, maxLength: 3 })), async (rows) => {
      const asText = (each: Cell) => (typeof each === 'bigint' ? `${each}n` : String(each ?? ''))
      expect(await readBack(rows)).toEqual([COLUMNS, ...rows.map((row) => row.map(asText))])
    }),
  )
})

it('disarms what a spreadsheet would run, and leaves numbers alone', async () => {
  const cells = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', 'a=1']
  const disarmed = [...cells.slice(0, 6).map((each) => `'${each}`), 'a=1']
  expect(await readBack(cells.map((each) => [each, '', null]))).toEqual([
    COLUMNS,
    ...disarmed.map((each) => [each, '', '']),
  ])
  expect(await written([[-1.5, -2n, 3]])).toBe('a,"b,c",d\r\n-1.5,-2n,3\r\n')
})
