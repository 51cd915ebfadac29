import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { type EventLog, LogUnavailable } from '../../../infra/event-log/port.ts'
import type { EntityKind } from '../../../schemas/records/entities.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { type Entity, Snapshot } from '../../../services/domain/snapshot.ts'
import { changed, created, openRegistry, type Registry, removed } from '../../../services/registry/resources/store.ts'
import { CHECKPOINT_GROUP, checkpointEnd } from '../../../services/replicas/registry-checkpoint.ts'
import { followRegistry } from '../../../services/replicas/registry-follower.ts'
import { registryKey } from '../../../services/replicas/registry-keys.ts'
import { tries } from '../../effort.ts'
import { bodies } from '../../schemas/entity-samples.ts'

const by = { by: 'tester' }
const NOW = 1_790_000_000_000
let folder: string
let log: EventLog

beforeEach(openLog)
afterEach(discardLog)

async function openLog(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'registry-checkpoint-'))
  log = await openEmbeddedEventLog({ folder, housekeepingMs: 3 })
}

async function discardLog(): Promise<void> {
  await log.close()
  await rm(folder, { recursive: true })
}

const open = (checkpointEvery?: number, of: EventLog = log): Promise<Registry> =>
  openRegistry({ log: of, snapshot: new Snapshot(), now: () => NOW, checkpointEvery })

/** What another process knows after a start, and how many records of `registry` it has read for that. */
async function start(): Promise<{ entries: unknown[]; read: number }> {
  const snapshot = new Snapshot()
  let read = 0
  const tail = await followRegistry({ log, snapshot, onRecord: () => void read++ })
  await tail.close()
  return { entries: entriesOf(snapshot), read }
}

const kinds = ['Campaign', 'Placement', 'FeedRun'] as const satisfies EntityKind[]
const entriesOf = (snapshot: Snapshot) =>
  kinds
    .flatMap((kind) => [...snapshot.allEver(kind)] as Entity<EntityKind>[])
    .toSorted((a, b) => (registryKey(a) < registryKey(b) ? -1 : 1))

const campaign = (name: string) => ({ ...bodies.Campaign, name })

async function changeOften(registry: Registry, times: number): Promise<void> {
  if (!registry.snapshot.get('Campaign', 'c')) await registry.write([created('Campaign', 'c', campaign('0'))], by)
  for (let i = 1; i < times; i++) {
    await registry.write(() => [changed(registry.snapshot.get('Campaign', 'c')!, campaign(`${i}`))], by)
  }
}

describe('a start', () => {
  it('reads the present and what came since the checkpoint, not every version', async () => {
    const registry = await open(10)
    await registry.write([created('Campaign', 'rarely', campaign('rarely'))], by)
    await changeOften(registry, 95)
    await expect.poll(async () => (await start()).read).toBeLessThan(20)
    expect((await start()).entries).toEqual(entriesOf(registry.snapshot))
    await registry.close()
    const again = await open(10)
    expect(entriesOf(again.snapshot)).toEqual(entriesOf(registry.snapshot))
    await again.close()
  })

  it('makes a checkpoint of a log that has none yet', async () => {
    const before = await open()
    await changeOften(before, 60)
    await before.close()
    expect(await start()).toMatchObject({ read: 60 })
    const after = await open(50)
    await expect.poll(() => checkpointEnd(log)).toBe(60)
    expect(await start()).toEqual({ entries: entriesOf(after.snapshot), read: 0 })
    await after.close()
  })

  it('brings back nothing that was forgotten', async () => {
    const registry = await open(10)
    await registry.write([created('FeedRun', 'run', bodies.FeedRun)], by)
    await changeOften(registry, 20)
    await expect.poll(() => checkpointEnd(log)).toBeGreaterThan(5)
    await registry.forget(() => [{ kind: 'FeedRun', id: 'run' }])
    await changeOften(registry, 20)
    await expect.poll(() => checkpointEnd(log)).toBeGreaterThan(25)
    expect((await start()).entries).toMatchObject([{ id: 'c', version: 39 }])
    await registry.close()
  })

  it.each([
    ['another record lies before its position', { offset: 12, metadata: '1' }],
    ['the log is shorter', { offset: 10_000, metadata: '1' }],
  ])('leaves a checkpoint alone that is not of this log: %s', async (_, place) => {
    const registry = await open(10)
    await changeOften(registry, 30)
    await expect.poll(() => checkpointEnd(log)).not.toBeNull()
    await registry.close()
    await log.reset(CHECKPOINT_GROUP, [{ topic: 'registry', partition: 0, ...place }])
    expect(await start()).toEqual({ entries: entriesOf(registry.snapshot), read: 30 })
  })

  it('reads what a writer of before has written behind the checkpoint', async () => {
    const registry = await open(10)
    await changeOften(registry, 30)
    await expect.poll(() => checkpointEnd(log)).not.toBeNull()
    await registry.close()
    const entry = { ...registry.snapshot.get('Campaign', 'c')!, version: 31 }
    await log.append([{ topic: 'registry', key: registryKey(entry), value: encode('RegistryEntry', entry) }])
    expect((await start()).entries).toEqual([entry])
  })
})

it('a checkpoint whose append fails is made up for by the next', async () => {
  let fails = 1
  const failing: EventLog = {
    ...log,
    async exclusiveWriter(name) {
      const writer = await log.exclusiveWriter(name)
      return {
        ...writer,
        append(records) {
          const isCheckpoint = records.some(({ topic }) => topic === 'registry-checkpoint')
          return isCheckpoint && fails-- > 0 ? Promise.reject(new LogUnavailable('away')) : writer.append(records)
        },
      }
    },
  }
  const registry = await open(10, failing)
  await registry.write([created('Campaign', 'rarely', campaign('rarely'))], by)
  await changeOften(registry, 12)
  await expect.poll(() => fails).toBeLessThan(1)
  await changeOften(registry, 30)
  await expect.poll(() => checkpointEnd(log)).toBeGreaterThan(10)
  expect((await start()).entries).toEqual(entriesOf(registry.snapshot))
  await registry.close()
})

it('after any changes, restarts and compactions a start knows what the writer knows', async () => {
  const step = fc.record({
    kind: fc.constantFrom(...kinds),
    id: fc.constantFrom('a', 'b', 'c'),
    act: fc.constantFrom('change', 'change', 'remove', 'forget', 'restart'),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 60 }),
      fc.integer({ min: 2, max: 9 }),
      async (steps, every) => {
        await discardLog()
        await openLog()
        let registry = await open(every)
        const forgotten = new Set<string>()
        for (const { kind, id, act } of steps) {
          const { snapshot } = registry
          const entity = snapshot.getEver(kind, id) as Entity<'Placement'> | undefined
          if (forgotten.has(`${kind}/${id}`)) continue
          if (act === 'restart') {
            await registry.close()
            registry = await open(every)
          } else if (!entity) await registry.write([created(kind, id, bodies[kind])], by)
          else if (act === 'forget' && kind !== 'Campaign') {
            await registry.forget(() => [{ kind, id }])
            forgotten.add(`${kind}/${id}`)
          } else await registry.write([act === 'remove' ? removed(entity) : changed(entity, entity.body)], by)
          if (act !== 'change') expect((await start()).entries).toEqual(entriesOf(registry.snapshot))
        }
        await registry.close()
        expect((await start()).entries).toEqual(entriesOf(registry.snapshot))
      },
    ),
    { numRuns: tries(15, 150) },
  )
})
