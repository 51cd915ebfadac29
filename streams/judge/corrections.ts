import type { EventCorrection } from '../../schemas/records/events.ts'
import type { DecodedRecord } from '../runtime/outcome.ts'
import { createStream, requireCompleteRegistry } from '../runtime/pipeline.ts'
import type { Stream } from '../runtime/stream.ts'
import { correctionStep, correctionsSourceOf, restoreCorrections } from './correction-steps.ts'
import { JUDGE_GROUP, type JudgeDeps } from './judge.ts'
import { restoreCounters } from './recount.ts'

export const CORRECTIONS_GROUP = 'corrections'
const BATCH_MAX_RECORDS = 1_000
const POLL_MAX_WAIT_MS = 500

/** The stream that credits what was billed for events that were voided, once for each. Reports read the topic themselves. */
export function createCorrections({ log, counters, snapshot, ...options }: JudgeDeps): Stream {
  const deps = { log, counters, snapshot }
  return createStream({
    ...options,
    name: CORRECTIONS_GROUP,
    topics: ['corrections'],
    log,
    batchMaxRecords: BATCH_MAX_RECORDS,
    pollMaxWaitMs: POLL_MAX_WAIT_MS,
    step: requireCompleteRegistry(snapshot, async ({ partition, records, lastOffset }) => {
      // The two topics are cut alike. Credited before the counters have it back, spend that they lost would come out whole.
      const judged = (await log.committed(JUDGE_GROUP)).find(
        (commit) => commit.topic === 'ad-events' && commit.partition === partition,
      )
      if (judged) await restoreCounters(deps, partition, judged.offset - 1)
      await restoreCorrections(deps, partition, records[0]!.offset)
      const steps = (records as DecodedRecord<EventCorrection>[]).flatMap(({ offset, value }) =>
        value ? [correctionStep(value, { partition, offset }, snapshot)] : [],
      )
      await counters.apply(steps, { source: correctionsSourceOf(partition), after: -1, upTo: lastOffset })
      return {}
    }),
  })
}
