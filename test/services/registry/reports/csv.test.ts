import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toCsv } from '../../../../services/registry/reports/csv.ts'

/** RFC 4180, read character by character. */
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

it('can be read back, whatever the text', () => {
  const text = fc
    .string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', "'", ' ', 'ż') })
    .filter((each) => !each.startsWith('\r'))
  const table = fc.array(fc.array(fc.oneof(text, fc.integer(), fc.constant(null)), { minLength: 3, maxLength: 3 }))
  fc.assert(
    fc.property(table, (rows) => {
      const expected = rows.map((row) => row.map((cell) => (cell === null ? '' : String(cell))))
      expect(parse(toCsv(['a', 'b,c', 'd'], rows))).toEqual([['a', 'b,c', 'd'], ...expected])
    }),
  )
})

it('disarms what a spreadsheet would run, and leaves numbers alone', () => {
  const cells = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', 'a=1']
  expect(
    parse(
      toCsv(
        ['x'],
        cells.map((each) => [each]),
      ),
    ),
  ).toEqual([['x'], ...cells.slice(0, 6).map((each) => [`'${each}`]), ['a=1']])
  expect(toCsv(['x'], [[-1.5]])).toBe('x\r\n-1.5\r\n')
})
