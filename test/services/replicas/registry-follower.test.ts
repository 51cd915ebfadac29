import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import { encode, UnknownSchema } from '../../../schemas/wire/codec.ts'
import { lastWords } from '../../../services/domain/errors.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { followRegistry } from '../../../services/replicas/registry-follower.ts'
import { registryKey } from '../../../services/replicas/registry-keys.ts'
import { samples } from '../../schemas/samples.ts'

let folder: string
let log: EventLog

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-follower-'))
  log = await openEmbeddedEventLog({ folder })
})
afterEach(async () => {
  await log.close()
  await rm(folder, { recursive: true })
})

const account = (id: string): NewRecord => {
  const entry = { ...samples.RegistryEntry, id }
  return { topic: 'registry', key: registryKey(entry), value: encode('RegistryEntry', entry) }
}
const ofLaterVersion = (id: string): NewRecord => {
  const record = account(id)
  record.value!.writeBigUInt64LE(0x0123456789abcdefn, 2)
  return record
}
const { kind } = samples.RegistryEntry
const knows = (snapshot: Snapshot, id: string) => snapshot.getEver(kind, id) !== undefined

it('refuses to begin with a copy that lacks what a newer version wrote', async () => {
  await log.append([account('before'), ofLaterVersion('later')])
  const following = followRegistry({ log, snapshot: new Snapshot() })
  await expect(following).rejects.toThrow(UnknownSchema)
  const error = await following.catch((error: Error) => error)
  expect(lastWords(error as Error)).toMatch(/^RegistryEntry of schema \S+ needs a newer version of Endcap\n$/)
})

it('keeps the copy as it was when a newer version writes on, and says so', async () => {
  await log.append([account('before')])
  const snapshot = new Snapshot()
  const errors: string[] = []
  const logger = { error: (_: object, message: string) => errors.push(message) }
  const tail = await followRegistry({ log, snapshot, logger })
  expect(snapshot.staleReason).toBeNull()
  await log.append([account('at hand')])
  await expect.poll(() => knows(snapshot, 'at hand')).toBe(true)
  await log.append([ofLaterVersion('later')])
  await log.append([account('behind it')])
  await expect.poll(() => snapshot.staleReason).toMatch(/ends at offset 2: RegistryEntry .* needs a newer version/)
  await log.append([account('also behind it')])
  expect(knows(snapshot, 'before')).toBe(true)
  expect(knows(snapshot, 'behind it')).toBe(false)
  expect(errors).toEqual([snapshot.staleReason])
  await tail.close()
})
