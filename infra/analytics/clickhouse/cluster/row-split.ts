import { crc32 } from 'node:zlib'
import { isBlock, type RowBlock } from '../../port.ts'

/** Rows with the same value in this column are on one shard: attribution, visits, reports and signals compare only rows of one shop. */
export const SHARDED_BY = 'shopId'

/** The shard, from 0, that `CRC32(shopId)` chooses. That is the sharding key of Distributed tables, and shards have equal weights. */
export const shardOf = (shopId: string | Uint8Array, shards: number): number => crc32(shopId) % shards

/** The rows of each shard, in their order. Rows of a table without shops go to the first shard. */
export function splitRows(
  rows: readonly object[] | RowBlock,
  shards: number,
): ReadonlyMap<number, readonly object[] | RowBlock> {
  if (isBlock(rows)) return splitBlock(rows, shards)
  return Map.groupBy(rows, (row) => (SHARDED_BY in row ? shardOf(String(row[SHARDED_BY]), shards) : 0))
}

function splitBlock(block: RowBlock, shards: number): Map<number, RowBlock> {
  const { columns, bytes, length } = block
  const at = columns.findIndex(({ name }) => name === SHARDED_BY)
  if (at === -1) return new Map([[0, block]])
  const skips = columns.map(({ type }) => skipOf(type))
  const reader = { bytes, at: 0 }
  const rowsOf = new Map<number, Uint8Array[]>()
  for (let row = 0; row < length; row++) {
    const start = reader.at
    for (let i = 0; i < at; i++) skips[i]!(reader)
    const size = readLength(reader)
    const shard = shardOf(bytes.subarray(reader.at, reader.at + size), shards)
    reader.at += size
    for (let i = at + 1; i < skips.length; i++) skips[i]!(reader)
    const rows = rowsOf.get(shard)
    if (rows) rows.push(bytes.subarray(start, reader.at))
    else rowsOf.set(shard, [bytes.subarray(start, reader.at)])
  }
  if (rowsOf.size <= 1) return new Map([...rowsOf.keys()].map((shard) => [shard, block]))
  return new Map(
    [...rowsOf].map(([shard, rows]) => [
      shard,
      { columns, length: rows.length, bytes: new Uint8Array(Buffer.concat(rows)) },
    ]),
  )
}

interface Reader {
  bytes: Uint8Array
  at: number
}
type Skip = (reader: Reader) => void

const FIXED_BYTES: Readonly<Record<string, number>> = { Bool: 1, Int32: 4, Int64: 8, Float64: 8 }
const COMPOSED = /^(Nullable|Array|Tuple)\((.*)\)$/s

/** A function that steps over a value of the type, one that the sink writes. @throws TypeError for any other type. */
function skipOf(type: string): Skip {
  const size = FIXED_BYTES[type]
  if (size !== undefined) {
    return (reader) => {
      reader.at += size
    }
  }
  if (type === 'String') return skipString
  const [, kind, inner] = type.match(COMPOSED) ?? []
  if (kind === 'Nullable') return skipNullable(skipOf(inner!))
  if (kind === 'Array') return skipArray(skipOf(inner!))
  if (kind === 'Tuple') return skipAll(elementsOf(inner!).map(skipOf))
  throw new TypeError(`A row with a ${type} cannot be divided among shards`)
}

function skipString(reader: Reader): void {
  const size = readLength(reader)
  reader.at += size
}

const skipNullable =
  (value: Skip): Skip =>
  (reader) => {
    if (reader.bytes[reader.at++] === 0) value(reader)
  }

const skipArray =
  (item: Skip): Skip =>
  (reader) => {
    for (let left = readLength(reader); left > 0; left--) item(reader)
  }

const skipAll =
  (parts: readonly Skip[]): Skip =>
  (reader) => {
    for (const part of parts) part(reader)
  }

/** Reads a varint. */
function readLength(reader: Reader): number {
  let length = 0
  for (let factor = 1; ; factor *= 0x80) {
    const byte = reader.bytes[reader.at++]!
    length += (byte & 0x7f) * factor
    if (byte < 0x80) return length
  }
}

/** The types of a tuple's elements, which may have names. */
function elementsOf(inner: string): string[] {
  const elements: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at <= inner.length; at++) {
    if (inner[at] === '(') depth++
    else if (inner[at] === ')') depth--
    else if ((inner[at] === ',' && depth === 0) || at === inner.length) {
      elements.push(
        inner
          .slice(from, at)
          .trim()
          .replace(/^(`[^`]*`|\w+)\s+/, ''),
      )
      from = at + 1
    }
  }
  return elements
}
