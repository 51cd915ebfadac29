import { expect, test } from 'vitest'
import { CounterTable } from '../../../../streams/judge/counted/counter-table.ts'
import { Owners } from '../../../../streams/judge/counted/owners.ts'

const fingerprint = { low: 1, high: 2 }
const exact = { name: 'spend', keptUntil: null, spread: 16, exact: true }
const day = { name: 'views/1', keptUntil: 9, spread: 16 }
const tableOf = (owners = new Owners(2)) => new CounterTable(owners, [0, 1])

test('a key has one number, also when its group is another object of the same name', () => {
  const table = tableOf()
  const counter = table.of({ shard: 0, group: day, id: 'a' })
  expect(table.of({ shard: 0, group: { ...day }, id: 'a' })).toBe(counter)
  expect(table.of({ shard: 1, group: day, id: 'a' })).not.toBe(counter)
  expect(table.of({ shard: 0, group: { ...day, name: 'views/2' }, id: 'a' })).not.toBe(counter)
})

test('ids that share a fingerprint are one counter, unless they are exact', () => {
  const table = tableOf()
  const [one, other] = ['a', 'b'].map((id) => table.of({ shard: 0, group: exact, id, fingerprint }))
  expect(one).not.toBe(other)
  const [viewed, viewedToo] = ['a', 'b'].map((id) => table.of({ shard: 0, group: day, id, fingerprint }))
  expect(viewed).toBe(viewedToo)
})

test('an owner has one counter of a group, in the shard of the owner', () => {
  const owners = new Owners(2)
  const table = tableOf(owners)
  const [ann, bob] = ['ann', 'bob'].map((name) => owners.owner('cid', 'shop', name))
  const counter = table.ofOwner(ann!, day)
  expect(table.ofOwner(ann!, { ...day })).toBe(counter)
  expect(table.ofOwner(bob!, day)).not.toBe(counter)
  expect(table.keys[counter]).toMatchObject({ shard: owners.shards[ann!], group: day, id: 'ann' })
})

test('who has one name in two shops is one person to counters that are kept by the name', () => {
  const owners = new Owners(2)
  const table = tableOf(owners)
  const [here, there] = ['shop', 'other shop'].map((shop) => owners.owner('cid', shop, 'ann'))
  expect(here).not.toBe(there)
  expect(table.ofOwner(here!, day)).toBe(table.ofOwner(there!, day))
  expect(table.named('ann', day)).toBe(table.ofOwner(here!, day))
  expect(table.named('bob', day)).not.toBe(table.named('ann', day))
  expect(table.named('ann', { ...day, name: 'views/2' })).not.toBe(table.named('ann', day))
})

test('it loads what was asked for once, and tells what was added and lowered of each shard', () => {
  const table = tableOf()
  const [spent, seenAt] = [table.of({ shard: 1, group: exact, id: 'a' }), table.of({ shard: 1, group: day, id: 'b' })]
  table.ask(spent)
  table.ask(spent)
  expect(table.loads(0)).toEqual([])
  expect(table.loads(1)).toEqual([table.keys[spent]])
  table.take(1, [5])
  table.add(spent, 3)
  table.add(spent, -1)
  table.lower(seenAt, 900)
  table.lower(seenAt, 800)
  table.lower(seenAt, 850)
  expect([table.values[spent], table.values[seenAt]]).toEqual([7, 800])
  expect(table.changes(0)).toEqual({ add: [], lower: [] })
  expect(table.changes(1)).toEqual({
    add: [{ key: table.keys[spent], amount: 2 }],
    lower: [{ key: table.keys[seenAt], value: 800 }],
  })
})
