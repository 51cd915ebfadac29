import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { personalTopics } from '../../../schemas/topics.ts'
import { createErasure } from '../../../streams/erasure/erasure.ts'
import { ask, erasureOf, lifeOf, stateOf } from './people.ts'

const DAY_MS = 86_400_000
let folder: string
let stored: EventLog
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forgetting-'))
  stored = await openEmbeddedEventLog({ folder })
})
afterAll(async () => {
  await stored.close()
  await rm(folder, { recursive: true })
})

it('an erasure forgets its digest once the log is free of the person, however many others wait for that', async () => {
  const now = Date.now()
  await stored.append(lifeOf({ cid: 'somebody', uid: 'u', at: now }))
  const erasedOn = (at: number) => ({ ...erasureOf('CID', randomUUID(), { requestedAt: at }), erasedAt: at })
  const free = Array.from({ length: 20 }, (_, i) => erasedOn(now - 50 * DAY_MS + i))
  const held = erasedOn(now)
  await ask(stored, [...free, held])
  let looks = 0
  const looked: EventLog = {
    ...stored,
    bounds: (topic) => {
      looks += topic === 'erasures' ? 0 : 1
      return stored.bounds(topic)
    },
  }
  const turn = createErasure({
    ...{ log: stored, storedLog: looked, analytics: {} as Analytics, runId: randomUUID, now: () => now },
    exclusively: (work) => work(),
  })
  await turn()
  for (const { id } of free) expect(await stateOf(stored, id)).toMatchObject({ logFreeAt: now, digest: null })
  expect(await stateOf(stored, held.id)).toEqual(held)
  expect(looks).toBe(personalTopics.length)
})

it('an erasure forgets its digest in time although the clock was set back since the last look', async () => {
  const real = Date.now()
  let now = real + 5 * DAY_MS
  const erasedOn = (at: number) => ({ ...erasureOf('CID', randomUUID(), { requestedAt: at }), erasedAt: real })
  const [held, person] = [erasedOn(real), erasedOn(real - 50 * DAY_MS)]
  await ask(stored, [held])
  const turn = createErasure({
    ...{ log: stored, storedLog: stored, analytics: {} as Analytics, runId: randomUUID, now: () => now },
    exclusively: (work) => work(),
  })
  await turn()
  now = real
  await ask(stored, [person])
  await turn()
  expect(await stateOf(stored, person.id)).toMatchObject({ logFreeAt: real, digest: null })
})
