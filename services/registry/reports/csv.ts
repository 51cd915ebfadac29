/** A cell that a spreadsheet would take for a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n]/

/** A table in CSV: RFC 4180, a header first, null as an empty cell. Text that looks like a formula gets a ' before it. */
export function toCsv(header: readonly string[], rows: Iterable<readonly (string | number | null)[]>): string {
  let text = line(header)
  for (const row of rows) text += line(row)
  return text
}

function line(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

function cell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = FORMULA.test(value) ? `'${value}` : value
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
