import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { csvEntries } from '../../../../services/registry/import/entries.ts'
import { orderRows } from '../../../../services/registry/import/order.ts'

const HEAD = Buffer.from('eventId,occurredAt,currency,shopProductId,price,quantity\n')
const WRONG_ROWS = Buffer.from('x\n'.repeat(30_000))
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
