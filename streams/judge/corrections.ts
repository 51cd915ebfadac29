import type { EventCorrection } from '../../schemas/records/events.ts'
import type { DecodedRecord } from '../runtime/outcome.ts'
import { createStream, requireCompleteRegistry } from '../runtime/pipeline.ts'
import type { Stream } from '../runtime/stream.ts'
import type { CountedSpend } from '../spend-checkpoints/restore.ts'
import { applyCorrections, restoreCorrections } from './correction-steps.ts'
import { JUDGE_GROUP, type JudgeDeps } from './judge.ts'
import { restoreCounters } from './recount.ts'

export const CORRECTIONS_GROUP = 'corrections'
const BATCH_MAX_RECORDS = 1_000
const POLL_MAX_WAIT_MS = 500

/**
 * The stream that refunds what was billed for events that were voided later, once per event, so that their campaigns can
 * spend it again. Reports and attribution leave voided events out by themselves, from the same topic.
 */
export function createCorrections({ log, counters, snapshot, ...options }: JudgeDeps): Stream {
  const deps = { log, counters, snapshot, now: options.now }
  return createStream({
    ...options,
    name: CORRECTIONS_GROUP,
    topics: ['corrections'],
    log,
    batchMaxRecords: BATCH_MAX_RECORDS,
    pollMaxWaitMs: POLL_MAX_WAIT_MS,
    step: requireCompleteRegistry(snapshot, async ({ partition, records, lastOffset }) => {
      // `ad-events` and `corrections` are partitioned alike. A refund must not come before the spend that it reduces: counters
      // that have lost that spend would count it in full later.
      const judged = (await log.committed(JUDGE_GROUP)).find(
        (commit) => commit.topic === 'ad-events' && commit.partition === partition,
      )
      if (judged) await restoreCounters(deps, partition, judged.offset - 1)
      const before = records[0]!.offset
      await restoreCorrections(deps, partition, before)
      const corrections = (records as DecodedRecord<EventCorrection>[]).filter(hasValue)
      await applyCorrections(deps, { partition, corrections, spent: NOTHING, after: before - 1, upTo: lastOffset })
      return {}
    }),
  })
}

/** No checkpoint knows corrections that were not applied before. */
const NOTHING: CountedSpend = new Map()

/** `corrections` has no tombstones; a record without a value is skipped. */
function hasValue(
  record: DecodedRecord<EventCorrection>,
): record is DecodedRecord<EventCorrection> & { value: EventCorrection } {
  return record.value !== null
}
