import { expect, test } from 'vitest'
import { joinAppends } from '../../../../../infra/event-log/kafka/produce/joined-appends.ts'
import { LogUnavailable, type NewRecord, type Position, RecordTooLarge } from '../../../../../infra/event-log/port.ts'

const record = (key: string, bytes = 1): NewRecord => ({ topic: 'products', key, value: Buffer.alloc(bytes) })

/** A log whose appends wait until the test ends them. */
function slowLog() {
  const sent: { keys: (string | null)[]; deadline: number; end: (error?: Error) => void }[] = []
  let offset = 0
  const append = joinAppends((records, deadline) => {
    const { promise, resolve, reject } = Promise.withResolvers<Position[]>()
    const end = (error?: Error) => {
      if (error) return reject(error)
      resolve(records.map(() => ({ topic: 'products', partition: 0, offset: offset++ })))
    }
    sent.push({ keys: records.map(({ key }) => key), deadline, end })
    return promise
  })
  const offsetsOf = async (positions: Promise<Position[]>) => (await positions).map(({ offset }) => offset)
  return { sent, append: (records: NewRecord[], deadline = 0) => offsetsOf(append(records, deadline)) }
}

test('appends that wait for one are joined, in their order, by the deadline of the first; each gets its own positions', async () => {
  const { sent, append } = slowLog()
  const first = append([record('a')], 1)
  const second = append([record('b'), record('c')], 2)
  const third = append([record('d')], 3)
  sent[0]!.end()
  expect(await first).toEqual([0])
  await expect.poll(() => sent.length).toBe(2)
  expect(sent[1]).toMatchObject({ keys: ['b', 'c', 'd'], deadline: 2 })
  sent[1]!.end()
  expect(await Promise.all([second, third])).toEqual([[1, 2], [3]])
  expect(await append([])).toEqual([])
  expect(sent).toHaveLength(2)
})

test('joined appends fail together, and those after them are sent', async () => {
  const { sent, append } = slowLog()
  const calls = ['a', 'b', 'c'].map((key) => append([record(key)]))
  const outcomes = Promise.allSettled(calls)
  sent[0]!.end(new Error('away'))
  await expect.poll(() => sent.length).toBe(2)
  sent[1]!.end(new Error('refused'))
  expect((await outcomes).map((each) => 'reason' in each && each.reason.message)).toEqual([
    'away',
    'refused',
    'refused',
  ])
  const later = append([record('d')])
  sent[2]!.end()
  expect(await later).toEqual([0])
})

test('no more than 64 MB wait', async () => {
  const { sent, append } = slowLog()
  const large = Array.from({ length: 40 }, (_, at) => record(`${at}`, 1_000_000))
  const calls = [append([record('a')]), append(large)]
  await expect(append(large)).rejects.toThrow(LogUnavailable)
  sent[0]!.end()
  await expect.poll(() => sent.length).toBe(2)
  calls.push(append(large))
  sent[1]!.end()
  await expect.poll(() => sent.length).toBe(3)
  sent[2]!.end()
  expect((await Promise.all(calls)).map((offsets) => offsets.length)).toEqual([1, 40, 40])
})

test('a megabyte is sent at once, and a record that is too large only fails its own append', async () => {
  const { sent, append } = slowLog()
  const halfMegabyte = 512 * 1024 - 1
  const calls = ['a', 'b', 'c', 'd'].map((key) => append([record(key, halfMegabyte)]))
  await expect(append([record('e', 1024 * 1024)])).rejects.toThrow(RecordTooLarge)
  sent[0]!.end()
  await expect.poll(() => sent.length).toBe(2)
  sent[1]!.end()
  await expect.poll(() => sent.length).toBe(3)
  sent[2]!.end()
  await Promise.all(calls)
  expect(sent.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c'], ['d']])
})
