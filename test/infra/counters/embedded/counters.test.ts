import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openEmbeddedCounters } from '../../../../infra/counters/embedded/counters.ts'
import { openCounterStore } from '../../../../infra/counters/embedded/store.ts'
import { type Counters, CountersUnavailable, type Step } from '../../../../infra/counters/port.ts'
import { countersSuite } from '../../../ports/counters.suite.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'counters-'))

describe('embedded counters', () => {
  const folders = new WeakMap<Counters, string>()
  const openIn = async (folder: string) => {
    const counters = await openEmbeddedCounters({ folder })
    folders.set(counters, folder)
    return counters
  }
  countersSuite({
    open: () => openIn(newFolder()),
    async reopen(counters) {
      await counters.close()
      return openIn(folders.get(counters)!)
    },
    async dispose(counters) {
      await counters.close()
      rmSync(folders.get(counters)!, { recursive: true })
    },
  })
})

describe('embedded counters on disk', () => {
  let folder: string
  beforeEach(() => {
    folder = newFolder()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('calls after close are refused as unavailable', async () => {
    const counters = await openEmbeddedCounters({ folder })
    await counters.close()
    await expect(counters.read(['a'])).rejects.toBeInstanceOf(CountersUnavailable)
  })

  test('more keys than memory holds are found again, and expired ones are removed from disk', () => {
    const KEYS = 6_000
    const LATER = 1_000_000
    const open = () => openCounterStore({ folder, changedKeysMax: 2_300 })
    const batch = (offset: number, keys: number, change: { now: number; expiresAt: number }): Step[] =>
      Array.from({ length: 500 }, (_, i) => ({
        source: 's',
        offset: offset + i,
        now: change.now,
        once: null,
        limits: [{ name: 'n', key: `k${(offset + i) % keys}`, add: 1, max: null, expiresAt: change.expiresAt }],
      }))
    let store = open()
    for (let offset = 0; offset < 2 * KEYS; offset += 500) {
      store.apply(batch(offset, KEYS, { now: 1, expiresAt: LATER }))
      if (offset % 3_500 === 0) {
        store.close()
        store = open()
      }
    }
    const keys = Array.from({ length: KEYS }, (_, i) => `k${i}`)
    expect(store.read(keys)).toEqual(keys.map(() => 2))

    for (let offset = 2 * KEYS; offset < 6 * KEYS; offset += 500) {
      store.apply(batch(offset, 500, { now: LATER, expiresAt: 2 * LATER }))
    }
    expect(store.read(['k0', 'k499', 'k500'])).toEqual([48, 48, 0])
    expect(store.size()).toBeLessThanOrEqual(500)
    store.close()
  })

  test('a process killed while it applies leaves each position applied wholly or not at all', async () => {
    const ROUNDS = 5
    let confirmed = -1
    for (let round = 0; round < ROUNDS; round++) {
      const child = fork(new URL('./apply.child.ts', import.meta.url), [folder], { stdio: 'inherit' })
      confirmed = Math.max(confirmed, await confirmations(child, 5 + round * 7))

      const counters = await openEmbeddedCounters({ folder })
      const [spend, left, right] = (await counters.read(['spend', 'left', 'right'])) as [number, number, number]
      expect(spend).toBe(left + right)
      expect(spend).toBeGreaterThanOrEqual(confirmed + 1)
      // Every position up to the last applied answers what it was answered, and counts no more.
      const known = Array.from({ length: spend }, (_, offset) => stepAt(offset))
      expect(new Set(await counters.apply(known.slice(-90_000)))).toEqual(new Set(['APPLIED']))
      expect(await counters.read(['spend', 'left', 'right'])).toEqual([spend, left, right])
      await counters.close()
    }
  })
})

/** As the child builds them. */
const stepAt = (offset: number): Step => ({ source: 's', offset, once: null, limits: [], now: 1 })

/** Kills the child at once after it has confirmed so many calls; the last offset that it confirmed. */
async function confirmations(child: ChildProcess, calls: number): Promise<number> {
  let last = -1
  let seen = 0
  child.on('message', (offset: number) => {
    last = offset
    seen += 1
    if (seen === calls) child.kill('SIGKILL')
  })
  await once(child, 'exit')
  return last
}
