import { shardOf } from '../../infra/counters/shards.ts'
import type { NewRecord } from '../../infra/event-log/port.ts'
import type { EventCorrection } from '../../schemas/records/events.ts'
import { encode } from '../../schemas/wire/codec.ts'
import type { DecodedRecord } from '../runtime/pipeline/outcome.ts'
import { createStream, requireCompleteRegistry, type StreamStep } from '../runtime/pipeline/pipeline.ts'
import type { Stream } from '../runtime/stream.ts'
import { applyCorrections, restoreCorrections } from './correction-steps.ts'
import { completeShards } from './counters-repair.ts'
import type { JudgeDeps } from './judge.ts'
import { judgedUpTo } from './recount/judged-up-to.ts'
import { type RecountDeps, restoreCounters } from './recount.ts'
import type { CountedSpend } from './spend/restore.ts'

export const CORRECTIONS_GROUP = 'corrections'
const BATCH_MAX_RECORDS = 1_000
/** Refunds may be a few tenths of a second late, and each batch has a fixed cost. */
const GATHER_MS = 250

/**
 * The stream that refunds what was billed for events that were voided later, once per event, so that their campaigns can
 * spend it again. Reports and attribution read the same topic, and leave voided events out themselves.
 */
export function createCorrections({ log, counters, snapshot, ...options }: JudgeDeps): Stream {
  const step = createCorrectionsStep({ log, counters, snapshot, now: options.now })
  return createStream({
    ...options,
    name: CORRECTIONS_GROUP,
    topics: ['corrections'],
    log,
    batchMaxRecords: BATCH_MAX_RECORDS,
    gatherMs: GATHER_MS,
    step: requireCompleteRegistry(snapshot, step),
  })
}

/** Refunds the corrections of a batch of one partition. */
export function createCorrectionsStep(deps: RecountDeps): StreamStep {
  const { counters } = deps

  return async function correctionsStep({ partition, records, lastOffset }) {
    await requireSpend(deps, partition)
    const before = records[0]!.offset
    await restoreCorrections(deps, partition, { to: before })
    const all = (records as DecodedRecord<EventCorrection>[]).filter(hasValue)
    const corrections = all.filter(({ value }) => shardOf(value.campaignId, counters.shards) === partition)
    const batch = { partition, shard: partition, corrections, spent: NOTHING, after: before - 1, upTo: lastOffset }
    await applyCorrections(deps, batch)
    return { outputs: all.filter((each) => !corrections.includes(each)).map(correctionAgain) }
  }
}

/**
 * Counts spend that the counters have lost, before a batch of refunds. A refund must not come before the spend that it reduces:
 * that spend would later be counted in full. `ad-events` and `corrections` are partitioned alike.
 */
async function requireSpend(deps: RecountDeps, partition: number): Promise<void> {
  const { log, counters } = deps
  if (!(await counters.complete())[partition]) return completeShards(deps, partition)
  const upTo = (await judgedUpTo(log)).get(partition)
  if (upTo !== undefined) await restoreCounters(deps, partition, upTo)
}

/** Appends the correction again, to the partition that its campaign belongs to now, as the judge does with events. */
function correctionAgain({ value }: DecodedRecord<EventCorrection> & { value: EventCorrection }): NewRecord {
  return { topic: 'corrections', key: value.campaignId, value: encode('EventCorrection', value) }
}

/** No checkpoint includes corrections that have not been applied yet. */
const NOTHING: CountedSpend = new Map()

/** `corrections` has no tombstones; a record without a value is skipped. */
function hasValue(
  record: DecodedRecord<EventCorrection>,
): record is DecodedRecord<EventCorrection> & { value: EventCorrection } {
  return record.value !== null
}
