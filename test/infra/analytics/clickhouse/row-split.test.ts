import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shardOf, splitRows } from '../../../../infra/analytics/clickhouse/cluster/row-split.ts'
import type { RowBlock } from '../../../../infra/analytics/port.ts'

const columns = [
  { name: '_offset', type: 'Int64' },
  { name: 'isBot', type: 'Bool' },
  { name: 'uid', type: 'Nullable(String)' },
  { name: 'slots', type: 'Array(Tuple(`ad` String, `price` Nullable(Int64), `tags` Array(String), `score` Float64))' },
  { name: 'shopId', type: 'String' },
  { name: 'position', type: 'Int32' },
]
const arbitraryRow = fc.record({
  offset: fc.nat(),
  isBot: fc.boolean(),
  uid: fc.option(fc.string({ maxLength: 200 })),
  slots: fc.array(
    fc.record({ ad: fc.string(), price: fc.option(fc.nat()), tags: fc.array(fc.string(), { maxLength: 3 }) }),
    { maxLength: 3 },
  ),
  shopId: fc.string({ maxLength: 12 }),
})
type Row = typeof arbitraryRow extends fc.Arbitrary<infer R> ? R : never

const varint = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >>> 7)])
const text = (value: string) => [...varint(Buffer.byteLength(value)), ...Buffer.from(value)]
const nullable = (value: number[] | null) => (value === null ? [1] : [0, ...value])
const int64 = (n: number) => [...Buffer.from(BigInt64Array.of(BigInt(n)).buffer)]
const bytesOf = ({ offset, isBot, uid, slots, shopId }: Row) =>
  Buffer.from([
    ...int64(offset),
    Number(isBot),
    ...nullable(uid === null ? null : text(uid)),
    ...varint(slots.length),
    ...slots.flatMap(({ ad, price, tags }) => [
      ...text(ad),
      ...nullable(price === null ? null : int64(price)),
      ...varint(tags.length),
      ...tags.flatMap(text),
      ...Buffer.alloc(8, 3),
    ]),
    ...text(shopId),
    ...Buffer.alloc(4, 9),
  ])
const blockOf = (rows: readonly Row[]): RowBlock => ({
  columns,
  length: rows.length,
  bytes: new Uint8Array(Buffer.concat(rows.map(bytesOf))),
})

describe('rows of several shops', () => {
  it('go to the shards that ClickHouse chooses', () => {
    // SELECT CRC32(arrayJoin(['shop', 'a', 'żółw', '', 'warsaw'])) % 5
    expect(['shop', 'a', 'żółw', '', 'warsaw'].map((id) => shardOf(id, 5))).toEqual([1, 2, 0, 0, 3])
  })

  it('are divided as bytes as they are as objects, each once and in their order', () => {
    fc.assert(
      fc.property(fc.array(arbitraryRow, { maxLength: 20 }), fc.integer({ min: 1, max: 5 }), (rows, shards) => {
        const expected = splitRows(rows, shards) as Map<number, readonly Row[]>
        const blocks = splitRows(blockOf(rows), shards) as Map<number, RowBlock>
        expect(new Set(blocks.keys())).toEqual(new Set(expected.keys()))
        for (const [shard, some] of expected) {
          expect(some.every(({ shopId }) => shardOf(shopId, shards) === shard)).toBe(true)
          expect(blocks.get(shard)).toEqual(blockOf(some))
        }
      }),
    )
  })

  it('of a table without shops go to the first', () => {
    const [, ...others] = columns
    const block = { columns: others.filter(({ name }) => name !== 'shopId'), length: 0, bytes: new Uint8Array() }
    expect([...splitRows(block, 4).keys()]).toEqual([0])
    expect([...splitRows([{ id: 1 }], 4)]).toEqual([[0, [{ id: 1 }]]])
  })
})
