import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FairQueue } from '../../../../../services/registry/feeds/runs/fair-queue.ts'
import { tries } from '../../../../effort.ts'

/** Tasks that record when they start, and end when they are told to. */
function tasks() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const task = (name: string) => () => {
    started.push(name)
    return new Promise<void>((resolve) => ends.set(name, resolve))
  }
  const end = async (name: string) => {
    ends.get(name)!()
    await new Promise(setImmediate)
  }
  return { started, task, end }
}

it('runs one task of a key at a time, so many in all, in order', async () => {
  const { started, task, end } = tasks()
  const queue = new FairQueue({ atOnce: 2, atOncePerOwner: 2 })
  queue.add({ key: 'a', owner: 'o', run: task('a1') })
  queue.add({ key: 'a', owner: 'o', run: task('a2') })
  queue.add({ key: 'b', owner: 'o', run: task('b1') })
  queue.add({ key: 'c', owner: 'o', run: task('c1') })
  expect(started).toEqual(['a1', 'b1'])
  await end('b1')
  expect(started).toEqual(['a1', 'b1', 'c1'])
  await end('a1')
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2'])
})

it('starts nothing more once it is closed, and waits for what runs', async () => {
  const { started, task, end } = tasks()
  const queue = new FairQueue({ atOnce: 1, atOncePerOwner: 1 })
  queue.add({ key: 'a', owner: 'o', run: task('a1') })
  queue.add({ key: 'b', owner: 'o', run: task('b1') })
  let closed = false
  const closing = queue.close().then(() => {
    closed = true
  })
  await new Promise(setImmediate)
  expect(closed).toBe(false)
  await end('a1')
  await closing
  expect(started).toEqual(['a1'])
})

it('leaves slots for others while one owner has many slow tasks', () => {
  const { started, task } = tasks()
  const queue = new FairQueue({ atOnce: 4, atOncePerOwner: 2 })
  for (const key of ['a1', 'a2', 'a3', 'a4']) queue.add({ key, owner: 'a', run: task(key) })
  queue.add({ key: 'b1', owner: 'b', run: task('b1') })
  expect(started).toEqual(['a1', 'a2', 'b1'])
})

it('lets owners take turns, however many tasks one has added before', async () => {
  const { started, task, end } = tasks()
  const queue = new FairQueue({ atOnce: 1, atOncePerOwner: 1 })
  for (const key of ['a1', 'a2', 'a3']) queue.add({ key, owner: 'a', run: task(key) })
  for (const key of ['b1', 'b2']) queue.add({ key, owner: 'b', run: task(key) })
  for (const key of ['a1', 'a2', 'b1', 'a3']) await end(key)
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
})

it('holds its limits, keeps the order of a key, and starves nobody, in whatever order tasks come and end', async () => {
  const added = fc.array(fc.record({ owner: fc.nat(3), feed: fc.nat(2) }), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(added, fc.infiniteStream(fc.nat()), async (wanted, picks) => {
      const queue = new FairQueue({ atOnce: 4, atOncePerOwner: 2 })
      const running: { owner: string; key: string; end: () => void }[] = []
      const order: { key: string; index: number }[] = []
      wanted.forEach(({ owner, feed }, index) => {
        const task = { key: `${owner}/${feed}`, owner: String(owner) }
        const run = () => {
          order.push({ key: task.key, index })
          return new Promise<void>((end) => running.push({ ...task, end }))
        }
        queue.add({ ...task, run })
      })
      while (running.length > 0) {
        expect(running.length).toBeLessThanOrEqual(4)
        for (const owner of new Set(running.map((each) => each.owner))) {
          expect(running.filter((each) => each.owner === owner).length).toBeLessThanOrEqual(2)
        }
        expect(new Set(running.map(({ key }) => key)).size).toBe(running.length)
        running.splice(picks.next().value % running.length, 1)[0]!.end()
        await new Promise(setImmediate)
      }
      expect(order.length).toBe(wanted.length)
      for (const key of new Set(order.map((each) => each.key))) {
        const indexes = order.filter((each) => each.key === key).map(({ index }) => index)
        expect(indexes).toEqual(indexes.toSorted((a, b) => a - b))
      }
    }),
    { numRuns: tries(50, 500) },
  )
})
