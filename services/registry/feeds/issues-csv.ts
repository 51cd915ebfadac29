import type { IssueRow } from './issues-query.ts'

const COLUMNS = ['severity', 'line', 'productId', 'field', 'code', 'message'] as const

/** RFC 4180, with a header. */
export function issuesCsv(rows: readonly IssueRow[]): string {
  const lines = [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((column) => cell(row[column])).join(','))]
  return `${lines.join('\r\n')}\r\n`
}

function cell(value: string | number | null): string {
  if (value === null || typeof value === 'number') return String(value ?? '')
  // Spreadsheets would run a cell that begins like a formula, and its text comes from strangers.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
