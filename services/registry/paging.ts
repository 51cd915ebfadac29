import { Problem } from '../domain/errors.ts'

/**
 * One page of a list in the order of ids. A page holds what lies after the last id of the page before, so that rows made
 * or removed in between neither repeat nor hide others.
 */
export function pageOf<T extends { id: string }>(
  rows: Iterable<T>,
  options: { limit: number; cursor: string | undefined },
): { items: T[]; nextCursor: string | null } {
  const after = options.cursor === undefined ? '' : readCursor(options.cursor)
  const following: T[] = []
  for (const row of rows) if (row.id > after) following.push(row)
  following.sort((a, b) => (a.id < b.id ? -1 : 1))
  const items = following.slice(0, options.limit)
  return { items, nextCursor: following.length > items.length ? writeCursor(items.at(-1)!.id) : null }
}

function writeCursor(id: string): string {
  return Buffer.from(id).toString('base64url')
}

function readCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString()
  if (id === '' || writeCursor(id) !== cursor) {
    throw new Problem('INVALID', 'querystring/cursor: is not the nextCursor of a page', {
      errors: [{ path: 'querystring/cursor', message: 'is not the nextCursor of a page' }],
    })
  }
  return id
}
