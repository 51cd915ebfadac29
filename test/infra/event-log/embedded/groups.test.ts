import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openLogStore } from '../../../../infra/event-log/embedded/store.ts'
import { LogUnavailable } from '../../../../infra/event-log/port.ts'

const TOPIC = 'registry'
const GROUP = 'readers'

let folder: string
let store: ReturnType<typeof openLogStore>
let log: ReturnType<typeof store.connect>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'event-log-'))
  store = openLogStore({ folder, now: () => 1_790_000_000_000 })
  log = store.connect()
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

const joinGroup = () => log.join(GROUP, [TOPIC])
const assignedTo = async (member: number) => (await log.poll(member, 10, 0)).assigned ?? []
/** A change that fails, like one on a full disk. All changes of its transaction are undone. */
const failingWrite = () =>
  expect(log.replace(TOPIC, 0, [{ offset: 0, key: 'a', value: null }])).rejects.toThrow(LogUnavailable)

it('a member that joins while a write fails gets its partitions, at once or when it tries again', async () => {
  const joining = joinGroup().catch(joinGroup)
  await failingWrite()
  expect(await assignedTo(await joining)).toMatchObject([{ topic: TOPIC, partition: 0 }])
})

it('a member takes a partition over at the commit that is on disk, not at one that was undone', async () => {
  const first = await joinGroup()
  const second = await joinGroup()
  const [owned] = await assignedTo(first)
  const commit = { topic: TOPIC, partition: 0, offset: 5, metadata: '' } as const
  const committing = expect(log.commit(first, owned!.id, commit, null)).rejects.toThrow(LogUnavailable)
  const leaving = log.leave(first).catch(() => {})
  await Promise.all([committing, failingWrite(), leaving])
  expect(await assignedTo(second)).toMatchObject([{ topic: TOPIC, partition: 0, committed: null }])
})
