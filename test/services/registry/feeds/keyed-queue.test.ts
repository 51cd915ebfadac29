import { expect, it } from 'vitest'
import { KeyedQueue } from '../../../../services/registry/feeds/keyed-queue.ts'

/** Tasks that say when they start and end when they are told to. */
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
  const queue = new KeyedQueue({ atOnce: 2 })
  queue.add('a', task('a1'))
  queue.add('a', task('a2'))
  queue.add('b', task('b1'))
  queue.add('c', task('c1'))
  expect(started).toEqual(['a1', 'b1'])
  await end('b1')
  expect(started).toEqual(['a1', 'b1', 'c1'])
  await end('a1')
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2'])
})

it('starts nothing more once it is closed, and waits for what runs', async () => {
  const { started, task, end } = tasks()
  const queue = new KeyedQueue({ atOnce: 1 })
  queue.add('a', task('a1'))
  queue.add('b', task('b1'))
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
