import type { Problem } from '../../domain/errors.ts'
import { invalid } from '../../http/violations.ts'

/**
 * One page of a list in the order of ids. A page begins after the last id of the previous page, so that rows created or
 * removed in between neither repeat nor hide others.
 * @param rowsAfter the rows after an id, in order; all rows for the empty id. They are read up to the end of the page only.
 */
export function pageOf<T extends { id: string }>(
  rowsAfter: (id: string) => Iterable<T>,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): { items: T[]; nextCursor: string | null } {
  const items: T[] = []
  for (const row of rowsAfter(cursor === undefined ? '' : readCursor(cursor))) {
    if (items.length === limit) return { items, nextCursor: writeCursor(items.at(-1)!.id) }
    items.push(row)
  }
  return { items, nextCursor: null }
}

function writeCursor(id: string): string {
  return Buffer.from(id).toString('base64url')
}

function readCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString()
  if (id === '' || writeCursor(id) !== cursor) {
    throw noCursor()
  }
  return id
}

/**
 * One page of rows that are read as a whole, the latest first: it begins after the time and id of the last row of the previous page.
 * @param rows in order: the latest first, and of one time the greatest id first. @throws Problem INVALID.
 */
export function latestPageOf<T extends { id: string }>(
  rows: readonly T[],
  timeOf: (row: T) => number,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): { items: T[]; nextCursor: string | null } {
  const [lastAt, lastId] =
    cursor === undefined ? [Number.POSITIVE_INFINITY, ''] : readPosition(cursor, 'number', 'string')
  const following = rows.filter((row) => timeOf(row) < lastAt || (timeOf(row) === lastAt && row.id < lastId))
  const items = following.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: last && following.length > limit ? writePosition(timeOf(last), last.id) : null }
}

/** Writes a cursor of two parts, each a number or a text, that says where a page ended. */
export function writePosition(...parts: (number | string)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** Reads a cursor that `writePosition` made. @throws Problem INVALID. */
export function readPosition<A extends keyof Types, B extends keyof Types>(
  cursor: string,
  a: A,
  b: B,
): [Types[A], Types[B]] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(parts) && parts.length === 2 && fits(parts[0], a) && fits(parts[1], b)) {
      return parts as [Types[A], Types[B]]
    }
  } catch {
    // Reported below.
  }
  throw noCursor()
}

export function noCursor(): Problem {
  return invalid([{ path: 'querystring/cursor', message: 'is not the nextCursor of a page' }])
}

interface Types {
  number: number
  string: string
}

function fits(value: unknown, type: keyof Types): boolean {
  return type === 'number' ? Number.isSafeInteger(value) : typeof value === 'string'
}
