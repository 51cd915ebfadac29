import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  countersClient,
  openEmbeddedCounters,
  startEmbeddedCounters,
} from '../../../../infra/counters/embedded/counters.ts'
import { packChange, packLoad } from '../../../../infra/counters/embedded/packed.ts'
import { openCounterStore } from '../../../../infra/counters/embedded/store.ts'
import { type Counters, CountersMoved, CountersUnavailable } from '../../../../infra/counters/port.ts'
import type { Served } from '../../../../infra/threads/worker.ts'
import {
  changeOf,
  group,
  loadOf,
  SHARD,
  SHARDS,
  SOURCE,
  seenOf,
  spendOf,
  viewsOf,
} from '../../../ports/counters.fixtures.ts'
import { countersSuite } from '../../../ports/counters.suite.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'counters-'))

describe('embedded counters', () => {
  const opened = new WeakMap<Counters, { folder: string; served: Served }>()
  const openIn = async (folder: string) => {
    const served = await startEmbeddedCounters({ folder, shards: SHARDS })
    const counters = countersClient(served.connect(), SHARDS)
    opened.set(counters, { folder, served })
    return counters
  }
  const end = async (counters: Counters) => {
    await counters.close()
    await opened.get(counters)!.served.stop()
    return opened.get(counters)!.folder
  }
  countersSuite({
    open: () => openIn(newFolder()),
    another: async (counters) => countersClient(opened.get(counters)!.served.connect(), SHARDS),
    reopen: async (counters) => openIn(await end(counters)),
    dispose: async (counters) => rmSync(await end(counters), { recursive: true }),
  })
})

describe('embedded counters on disk', () => {
  let folder: string
  beforeEach(() => {
    folder = newFolder()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('calls after close are refused as unavailable', async () => {
    const counters = await openEmbeddedCounters({ folder, shards: SHARDS })
    await counters.close()
    await expect(counters.positions([])).rejects.toBeInstanceOf(CountersUnavailable)
  })

  test('of changes that come together, one that is refused stops no other', async () => {
    const counters = await openEmbeddedCounters({ folder, shards: SHARDS })
    const changes = [{}, { after: 7, upTo: 9 }, { after: 0, upTo: 4 }, { shard: SHARD + 1 }].map(changeOf)
    const ended = await Promise.allSettled(changes.map((change) => counters.store(change)))
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect((ended[1] as PromiseRejectedResult).reason).toBeInstanceOf(CountersMoved)
    const places = [SHARD, SHARD + 1].map((shard) => ({ shard, source: SOURCE }))
    expect(await counters.positions(places)).toEqual([4, 0])
    await counters.close()
  })

  test('what a group held leaves the disk, some of it with every store', () => {
    const COUNTED = 9_000
    let now = 1_000
    const store = openCounterStore({ folder, shards: SHARDS, clock: () => now })
    const brief = group('brief', { keptUntil: 2_000 })
    const keys = Array.from({ length: COUNTED }, (_, i) => ({ ...viewsOf(`${i}`), group: brief }))
    store.storeAll([
      packChange(changeOf({ add: [...keys, spendOf('a')].map((key) => ({ key, amount: 1 })) })),
      packChange(changeOf({ after: 0 })),
    ])
    expect(store.size()).toBe(COUNTED + 1)
    now = 2_000
    const sizes = Array.from({ length: 8 }, (_, i) => {
      store.storeAll([packChange(changeOf({ after: 1 + i }))])
      return store.size()
    })
    expect(sizes[0]).toBeGreaterThan(1)
    expect(sizes.at(-1)).toBe(1)
    // A group with the same name is a new group from then on.
    store.storeAll([
      packChange(
        changeOf({ after: 9, add: [{ key: { ...keys[0]!, group: { ...brief, keptUntil: 9_000 } }, amount: 3 }] }),
      ),
    ])
    expect(store.load([packLoad(loadOf({ keys: [keys[0]!, spendOf('a')] }))])[0]!.values).toEqual([3, 1])
    store.close()
  })

  test.each([1_500, 3_000])('a group lasts as long as the change at %i asks, although it was to end at 2,000', (at) => {
    let now = 1_000
    let after = -1
    const store = openCounterStore({ folder, shards: SHARDS, clock: () => now })
    const keyUntil = (keptUntil: number) => ({ ...viewsOf('a'), group: group('part', { keptUntil }) })
    const add = (keptUntil: number) =>
      store.storeAll([packChange(changeOf({ after: after++, add: [{ key: keyUntil(keptUntil), amount: 1 }] }))])
    const forget = () => store.storeAll([packChange(changeOf({ after: after++ }))])
    const counted = () => store.load([packLoad(loadOf({ keys: [keyUntil(0)] }))])[0]!.values
    add(2_000)
    now = at
    add(9_000)
    now = 8_999
    forget()
    expect(counted()).toEqual([2])
    now = 9_000
    forget()
    expect(counted()).toEqual([0])
    store.close()
  })

  test('what a clock that was ahead has forgotten too early is missed, and all is counted again', () => {
    const DAY_MS = 86_400_000
    let now = DAY_MS
    const clock = () => now
    const seen = group('day', { keptUntil: 12 * DAY_MS })
    const key = { ...viewsOf('a'), group: seen }
    const counted = () => {
      const store = openCounterStore({ folder, shards: SHARDS, clock })
      store.storeAll([packChange(changeOf({ add: [{ key, amount: 1 }] }))])
      store.markComplete(SHARD)
      return store
    }
    const forget = (store: ReturnType<typeof counted>) => store.storeAll([packChange(changeOf({ after: 0 }))])
    const isComplete = (store: ReturnType<typeof counted>) => store.complete()[SHARD]

    const running = counted()
    now = 31 * DAY_MS
    expect(forget(running)).toEqual([null])
    now -= 30 * DAY_MS
    const [refused] = running.storeAll([packChange(changeOf({ after: 1 }))])
    expect(refused).toBeInstanceOf(CountersMoved)
    expect(isComplete(running)).toBe(false)
    running.close()

    const stopped = counted()
    now = 31 * DAY_MS
    forget(stopped)
    expect(isComplete(stopped)).toBe(true)
    stopped.close()
    now = 12 * DAY_MS - 1
    const onTime = openCounterStore({ folder, shards: SHARDS, clock })
    expect(isComplete(onTime)).toBe(true)
    onTime.close()
    now -= DAY_MS
    const early = openCounterStore({ folder, shards: SHARDS, clock })
    expect(isComplete(early)).toBe(false)
    early.close()
  })

  test('a file of another schema, or of another number of shards, is dropped', () => {
    const old = new DatabaseSync(join(folder, 'counters.sqlite'))
    old.exec(`CREATE TABLE entries (key TEXT PRIMARY KEY); INSERT INTO entries VALUES ('c/spend/a')`)
    old.close()
    const positionsWith = (shards: number) => {
      const store = openCounterStore({ folder, shards })
      const found = store.positions([{ shard: SHARD, source: SOURCE }])
      store.storeAll([packChange(changeOf({ after: found[0]!, upTo: found[0]! + 1 }))])
      store.close()
      return found
    }
    expect([4, 4, 12, 12, 4].map(positionsWith)).toEqual([[-1], [0], [-1], [0], [-1]])
  })

  test('a process killed while it stores leaves each change stored wholly or not at all', async () => {
    const ROUNDS = 5
    let confirmed = -1
    for (let round = 0; round < ROUNDS; round++) {
      const child = fork(new URL('./store.child.ts', import.meta.url), [folder], { stdio: 'inherit' })
      confirmed = Math.max(confirmed, await confirmations(child, 5 + round * 7))

      const counters = await openEmbeddedCounters({ folder, shards: SHARDS })
      const [position] = (await counters.positions([{ shard: SHARD, source: SOURCE }])) as [number]
      expect(position).toBeGreaterThanOrEqual(confirmed)
      const offsets = Array.from({ length: position + 1 }, (_, offset) => `${offset}`)
      const [loaded] = await counters.load([
        loadOf({ keys: [spendOf('all'), ...offsets.map((id) => viewsOf(id))], seen: offsets.map((id) => seenOf(id)) }),
      ])
      expect(loaded!.note).toBe(`${position - 100}`)
      expect(loaded!.values).toEqual([position + 1, ...offsets.map(() => 1)])
      expect(loaded!.seen).not.toContain(false)
      const beyond = await counters.load([
        loadOf({ keys: [viewsOf(`${position + 1}`)], seen: [seenOf(`${position + 1}`)] }),
      ])
      expect(beyond[0]).toMatchObject({ values: [0], seen: [false] })
      await counters.close()
    }
  })
})

/** Kills the child as soon as it has confirmed so many calls. @returns the last position that it confirmed. */
async function confirmations(child: ChildProcess, calls: number): Promise<number> {
  let last = -1
  let seen = 0
  child.on('message', (position: number) => {
    last = position
    seen += 1
    if (seen === calls) child.kill('SIGKILL')
  })
  await once(child, 'exit')
  return last
}

describe.skipIf(process.getuid?.() !== 0)('a full disk', () => {
  let folder: string
  const resize = (how: string, kib: number) =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', `${how}size=${kib}k`, 'tmpfs', folder])
  let counters: Counters
  beforeEach(async () => {
    folder = newFolder()
    resize('', 1_024)
    counters = await openEmbeddedCounters({ folder, shards: SHARDS })
  })
  afterEach(async () => {
    await counters.close()
    execFileSync('umount', [folder])
    rmSync(folder, { recursive: true })
  })

  test('stores no part of a change, says that it is the counters that cannot be written, and goes on when there is room', async () => {
    const large = (after: number) => {
      const add = Array.from({ length: 2_000 }, (_, i) => ({ key: viewsOf(`${after}/${i}`), amount: 1 }))
      return counters.store(changeOf({ after, add: [...add, { key: spendOf('a'), amount: 1 }] }))
    }
    let refusal: unknown = null
    let stored = -1
    while (refusal === null) {
      await large(stored).then(
        () => stored++,
        (error) => {
          refusal = error
        },
      )
    }
    expect(refusal).toBeInstanceOf(CountersUnavailable)
    expect((refusal as Error).message).toBe('The counters could not be written: database or disk is full')
    const raiseOnAndOn = async () => {
      for (let at = 1; ; at++) await counters.raiseWatermark(at)
    }
    await expect(raiseOnAndOn()).rejects.toThrow('The counters could not be written')
    expect(await counters.positions([{ shard: SHARD, source: SOURCE }])).toEqual([stored])
    resize('remount,', 8_192)
    await large(stored)
    const [loaded] = await counters.load([loadOf({ after: stored + 1, keys: [spendOf('a')] })])
    expect([...loaded!.values]).toEqual([stored + 2])
  })
})
