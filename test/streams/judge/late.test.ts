import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEmbeddedCounters } from '../../../infra/counters/embedded/counters.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { UNKNOWN_CLIENT } from '../../../services/domain/identity/client-hashes.ts'
import { createJudgeStep } from '../../../streams/judge/judge.ts'
import { eventOf, HOUR_MS, recordsOf, snapshotOf } from './fixtures.ts'

const PARTITION = 0
const emptyLog = { bounds: async () => [], settled: async () => {}, committed: async () => [], read: async () => [] }

test('clicks of one address are counted together over batches, however late they are judged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'late-judge-'))
  const counters = await openEmbeddedCounters({ folder, shards: 1 })
  await counters.markComplete(PARTITION)
  const snapshot = snapshotOf({ c: {} })
  const judge = createJudgeStep({ log: emptyLog, counters, snapshot, now: Date.now })
  const occurredAt = Date.now() - 10 * HOUR_MS
  const clicks = Array.from({ length: 4 }, () => {
    return eventOf({ ...UNKNOWN_CLIENT, addressHash: 'address', occurredAt }, { emittedAt: occurredAt - HOUR_MS })
  })
  const verdicts: string[] = []
  for (const [offset, click] of clicks.entries()) {
    const records = recordsOf([click], offset)
    const committed = offset === 0 ? null : offset
    const { outputs } = await judge({
      topic: 'ad-events',
      partition: PARTITION,
      records,
      turn: async () => committed,
      lastOffset: offset,
    })
    verdicts.push(...outputs!.map(({ value }) => decode('JudgedEvent', value!).verdict))
  }
  expect(verdicts).toEqual(['VALID', 'VALID', 'INVALID_TRAFFIC', 'INVALID_TRAFFIC'])
  await counters.close()
  rmSync(folder, { recursive: true })
})
