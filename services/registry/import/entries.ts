import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { createSlices } from '../../../infra/threads/slices.ts'
import { EVENT_LIMITS } from '../../../schemas/http/events.ts'
import { sizeFault } from '../../http/json.ts'
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
  const fault = sizeFault(Buffer.from(text))
  if (fault !== null) return { number, wrong: fault }
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
  /** The columns that name an entry. Consecutive rows with the same values there are one entry. */
  keyColumns: readonly string[]
  /** Makes an entry of its rows, of which there is at least one. */
  fold(rows: readonly Row[]): unknown
}

interface ReadRow {
  number: number
  /** Names the entry. Null for a row that cannot be read and may belong to either neighbour. */
  key: string | null
  /** The cells, or why the row cannot be read. */
  cells: Row | string
}

/** Rows of two bytes may all be wrong, and each of these takes some 20 microseconds. */
const PARSED_AT_ONCE_BYTES = 512

/** Each row becomes an object of all columns. A file that a shop exports has some dozens. */
const COLUMNS_MAX = 200

/** Each misplaced quote takes the parser time in proportion to the cell before it, which its message repeats. */
const FAULTS_PER_LINE_MAX = 10
const FAULT_CHARS_MAX = 500

/**
 * CSV (RFC 4180) whose first row names the columns. The rows of an entry are consecutive. An entry that lacks a row is wrong as a
 * whole: an entry counts once, so the row could not be added by another import. @throws Exceeded at a row that is too long or has
 * many misplaced quotes, because the start of the next row is unknown then, and at a first row of too many columns.
 */
export const csvEntries = ({ keyColumns, fold }: RowFolding): EntryParser =>
  async function* (chunks, { lineMaxBytes }) {
    let columns: string[] = []
    const keyOf = (row: Row) => JSON.stringify(keyColumns.map((name) => row[name] ?? ''))
    let faults = { lines: 0, count: 0 }
    const parser = parse({
      bom: true,
      columns(names: string[]) {
        if (names.length > COLUMNS_MAX)
          throw new Exceeded(`${COLUMNS_MAX} columns, but line ${parser.info.lines} names ${names.length}`)
        columns = names.map((name) => name.trim())
        return columns
      },
      on_record: (record: Row, { lines }) => ({ number: lines, key: keyOf(record), cells: record }) satisfies ReadRow,
      max_record_size: lineMaxBytes,
      skip_empty_lines: true,
      skip_records_with_error: true,
      on_skip(error) {
        if (error?.code === 'CSV_MAX_RECORD_SIZE') throw new Exceeded(`rows of ${lineMaxBytes} bytes`)
        const lines = Number(error?.lines ?? 1)
        faults = lines === faults.lines ? { lines, count: faults.count + 1 } : { lines, count: 1 }
        if (faults.count > FAULTS_PER_LINE_MAX)
          throw new Exceeded(`${FAULTS_PER_LINE_MAX} misplaced quotes in line ${lines}`)
        // Wrong rows wait in the parser like right ones, so that it stops reading while many of them wait.
        parser.push(unreadable(lines, (error?.message ?? 'is not CSV').slice(0, FAULT_CHARS_MAX), error?.record))
      },
      trim: true,
      // Once its source has ended, a stream transforms all that it holds at once.
      ...{ writableHighWaterMark: PARSED_AT_ONCE_BYTES },
    })
    const source = Readable.from(inPieces(chunks))
    source.on('error', (error) => parser.destroy(error)).pipe(parser)
    yield* foldRows(parser, fold)

    /** A missing or surplus cell moves those after it, so only cells that come before all others are sure to name the entry. */
    function unreadable(number: number, wrong: string, record: unknown): ReadRow {
      const isFirst = columns.filter((name) => keyColumns.includes(name)).every((name, i) => columns[i] === name)
      const isKnown = Array.isArray(record) && isFirst
      const row = isKnown ? Object.fromEntries(columns.map((name, i) => [name, record[i]])) : null
      return { number, key: row && keyOf(row), cells: wrong }
    }
  }

/** The rows of one entry so far. */
interface Entry {
  number: number
  key: string
  rows: Row[]
  /** Why it cannot be taken, if it lacks a row. */
  wrong: string | null
}

/** Of an entry with too many lines, the allowed number plus one are kept, so that it is refused without holding them all. */
async function* foldRows(rows: AsyncIterable<ReadRow>, fold: RowFolding['fold']): AsyncGenerator<ImportEntry> {
  let entry = null as Entry | null
  let lack: string | null = null
  const entryOf = ({ number, rows, wrong }: Entry): ImportEntry =>
    wrong === null ? { number, value: fold(rows) } : { number, wrong }
  const slices = createSlices()
  for await (const { number, key, cells } of rows) {
    if (slices.isOver()) await slices.next()
    if (key === null) {
      yield { number, wrong: String(cells) }
      lack = `may have the row of line ${number}, which cannot be read`
      if (entry) entry.wrong ??= lack
      continue
    }
    if (key !== entry?.key) {
      if (entry) yield entryOf(entry)
      entry = { number, key, rows: [], wrong: lack }
    }
    lack = null
    if (typeof cells === 'string') entry.wrong ??= cells
    else if (entry.rows.length <= EVENT_LIMITS.linesMax) entry.rows.push(cells)
  }
  if (entry) yield entryOf(entry)
}

/** Cuts chunks into pieces, so that the rows of each are taken before the next is parsed. A row may fill hundreds of them. */
async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const slices = createSlices()
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PARSED_AT_ONCE_BYTES) {
      if (slices.isOver()) await slices.next()
      yield chunk.subarray(at, at + PARSED_AT_ONCE_BYTES)
    }
  }
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
