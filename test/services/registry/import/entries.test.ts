import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { csvEntries, ndjsonEntries } from '../../../../services/registry/import/entries.ts'
import { IMPORT_LIMITS, importEntries } from '../../../../services/registry/import/import.ts'
import { orderRows } from '../../../../services/registry/import/order.ts'
import type { ImportRules } from '../../../../services/registry/import/rules.ts'

const HEAD = Buffer.from('eventId,occurredAt,currency,shopProductId,price,quantity\n')
/** Each names an order of its own, and lacks the other cells. */
const WRONG_ROWS = Buffer.from(Array.from({ length: 30_000 }, (_, i) => `${i}\n`).join(''))
const entriesOf = csvEntries(orderRows)
const limits = { lineMaxBytes: 10_000 }

it('reads no more of a file than is asked for, even if all its rows are wrong', async () => {
  let read = 0
  async function* chunks() {
    yield HEAD
    for (; read < 20; read++) yield WRONG_ROWS
  }
  const entries = entriesOf(chunks(), limits)
  expect((await entries.next()).value).toMatchObject({ number: 2, wrong: expect.stringContaining('Record Length') })
  for (let turn = 0; turn < 100; turn++) await setImmediate()
  expect(read).toBeLessThan(2)
  await entries.return(undefined)
})

it('gives other work its turns while it reads a file of wrong rows', async () => {
  async function* chunks() {
    yield Buffer.concat([HEAD, WRONG_ROWS])
  }
  let turns = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns++) await setImmediate()
  })()
  let wrong = 0
  for await (const _ of entriesOf(chunks(), limits)) wrong++
  isOver = true
  await others
  expect(wrong).toBe(30_000)
  // Each piece of 512 bytes takes some milliseconds, and a slice takes eight.
  expect(turns).toBeGreaterThan(20)
})

it('ends at a line of many misplaced quotes, each of which would repeat the cell before it', async () => {
  async function* chunks() {
    yield Buffer.concat([HEAD, Buffer.from(`${'x'.repeat(5_000)}${'"'.repeat(1_000)}\n`)])
  }
  const told: unknown[] = []
  const read = async () => {
    for await (const entry of entriesOf(chunks(), limits)) told.push(entry)
  }
  await expect(read()).rejects.toThrow('misplaced quotes in line 2')
  expect(JSON.stringify(told).length).toBeLessThan(10_000)
})

it('takes 200 columns, and ends at the line that names more', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, i) => `column-${i}`).join(',')
  const file = async function* (columns: number) {
    yield Buffer.concat([Buffer.from('\n'), HEAD.subarray(0, -1), Buffer.from(`,${names(columns)}\n`)])
    yield Buffer.from(`a${','.repeat(columns + 5)}\n`)
  }
  const read = (columns: number) => Array.fromAsync(entriesOf(file(columns), limits))
  expect(await read(194)).toMatchObject([{ number: 3, value: { eventId: 'a' } }])
  await expect(read(195)).rejects.toThrow('200 columns, but line 2 names 201')
})

it('gives other work its turns while it reads rows that fill hundreds of pieces', async () => {
  const rows = 10
  async function* chunks() {
    yield Buffer.concat([HEAD, Buffer.from(`a${','.repeat(500_000)}\n`.repeat(rows))])
  }
  let turns = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns++) await setImmediate()
  })()
  expect(await Array.fromAsync(entriesOf(chunks(), { lineMaxBytes: 1_000_000 }))).toMatchObject([{ number: 2 }])
  isOver = true
  await others
  // A row takes some forty milliseconds, and a slice takes eight.
  expect(turns).toBeGreaterThan(2 * rows)
})

it('refuses lines of JSON that are nested too deep or hold too many values, before they are parsed', async () => {
  async function* chunks() {
    for (const line of [`${'['.repeat(99)}${']'.repeat(99)}`, `[${'1,'.repeat(50_000)}1]`, '[1]'])
      yield Buffer.from(`${line}\n`)
  }
  expect(await Array.fromAsync(ndjsonEntries(chunks(), IMPORT_LIMITS))).toEqual([
    { number: 1, wrong: 'is nested more than 32 levels deep' },
    { number: 2, wrong: 'holds more than 50000 values' },
    { number: 3, value: [1] },
  ])
})

it('gives other work its turns between lines that take long', async () => {
  const LINES = 20
  const SLICE_MS = 8
  async function* chunks() {
    yield Buffer.from('1\n'.repeat(LINES))
  }
  let turns = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns++) await setImmediate()
  })()
  const read = () => {
    for (const endsAt = performance.now() + SLICE_MS; performance.now() < endsAt; );
    return { tag: 'REFUSED' as const, errors: [] }
  }
  const log = { append: async () => [] }
  await importEntries(log, chunks(), { entries: ndjsonEntries, read, rules: {} as ImportRules, limits: IMPORT_LIMITS })
  isOver = true
  await others
  expect(turns).toBeGreaterThanOrEqual(LINES)
})
