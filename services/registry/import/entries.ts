import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { EVENT_LIMITS } from '../../../schemas/http/events.ts'
import { linesOf } from './lines.ts'

/** One entry to import, or why it could not be read. `number` is that of its first line, from 1. */
export type ImportEntry = { number: number; value: unknown } | { number: number; wrong: string }

/** A limit that ends an import. */
export class Exceeded extends Error {}

/** Reads entries from the bytes of a body, holding one at a time. */
export type EntryParser = (
  chunks: AsyncIterable<Buffer>,
  limits: { lineMaxBytes: number },
) => AsyncGenerator<ImportEntry>

/** One JSON object on each line. */
export const ndjsonEntries: EntryParser = async function* (chunks, limits) {
  for await (const { number, text } of linesOf(chunks, limits)) {
    if (text === null) yield { number, wrong: `is longer than ${limits.lineMaxBytes} bytes` }
    else yield entryOf(number, text)
  }
}

function entryOf(number: number, text: string): ImportEntry {
  try {
    return { number, value: JSON.parse(text) }
  } catch {
    return { number, wrong: 'is not JSON' }
  }
}

/** The cells of a row by the names of their columns. */
export type Row = Record<string, string>

/** How rows become one entry. */
export interface RowFolding {
  /** Consecutive rows with the same key are one entry. */
  keyOf(row: Row): string
  /** Makes an entry of its rows, of which there is at least one. */
  fold(rows: readonly Row[]): unknown
}

/**
 * CSV (RFC 4180) whose first row names the columns. The rows of an entry are consecutive. Of an entry with too many lines, the
 * allowed number plus one are kept, so that it is refused without holding them all. @throws Exceeded at a row that is too long,
 * because the start of the next row is unknown then.
 */
export const csvEntries = ({ keyOf, fold }: RowFolding): EntryParser =>
  async function* (chunks, { lineMaxBytes }) {
    const skipped: ImportEntry[] = []
    const parser = parse({
      bom: true,
      columns: (names: string[]) => names.map((name) => name.trim()),
      info: true,
      max_record_size: lineMaxBytes,
      skip_empty_lines: true,
      skip_records_with_error: true,
      on_skip(error) {
        if (error?.code === 'CSV_MAX_RECORD_SIZE') parser.destroy(new Exceeded(`rows of ${lineMaxBytes} bytes`))
        else skipped.push({ number: Number(error?.lines ?? 1), wrong: error?.message ?? 'is not CSV' })
      },
      trim: true,
    })
    const source = Readable.from(chunks)
    source.on('error', (error) => parser.destroy(error)).pipe(parser)
    let number = 0
    let key = ''
    let rows: Row[] = []
    const folded = (): ImportEntry[] => (rows.length > 0 ? [{ number, value: fold(rows) }] : [])
    for await (const { record, info } of parser as AsyncIterable<{ record: Row; info: { lines: number } }>) {
      yield* skipped.splice(0)
      const next = keyOf(record)
      if (next !== key || rows.length === 0) {
        yield* folded()
        ;[number, key, rows] = [info.lines, next, []]
      }
      if (rows.length <= EVENT_LIMITS.linesMax) rows.push(record)
    }
    yield* folded()
    yield* skipped.splice(0)
  }

/** The number in a cell. Text that is not a number stays text, so that the error names its field. */
export function numberOf(cell: string | undefined): number | string | undefined {
  if (!cell) return undefined
  return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell
}

/** The cells of these columns that are not empty. */
export function cellsOf(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.flatMap((column) => (row[column] ? [[column, row[column]]] : [])))
}
