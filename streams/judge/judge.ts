import { type Counters, CountersBehind, type Outcome, type Progress, type Step } from '../../infra/counters/port.ts'
import type { EventLog, NewRecord } from '../../infra/event-log/port.ts'
import type { AdEvent, JudgedEvent } from '../../schemas/records/events.ts'
import { encode } from '../../schemas/wire/codec.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { trafficRulesOf } from '../../services/domain/traffic-rules.ts'
import type { DeadRecord, DecodedRecord } from '../runtime/outcome.ts'
import { createStream, requireCompleteRegistry, type StreamOptions, type StreamStep } from '../runtime/pipeline.ts'
import type { Stream, StreamLogger } from '../runtime/stream.ts'
import { restoreCounters } from './recount.ts'
import {
  invalid,
  type Judgement,
  judgement,
  judgingStep,
  sourceOf,
  type Terms,
  verdictWithoutCounters,
} from './verdict.ts'

export const JUDGE_GROUP = 'judge'
const BATCH_MAX_RECORDS = 1_000
const POLL_MAX_WAIT_MS = 200

export interface JudgeDeps {
  log: EventLog
  counters: Counters
  /** Must hold the whole registry before the judge runs: events of an unknown campaign become dead letters. */
  snapshot: Snapshot
  now: () => number
  logger: StreamLogger
  retry?: StreamOptions['retry']
}

/**
 * The stream that gives each view and click its verdict: the only place where they are counted, capped and billed. Its output,
 * `judged-events`, goes to the sink (`streams/sink/sink.ts`).
 */
export function createJudge({ log, counters, snapshot, ...options }: JudgeDeps): Stream {
  return createStream({
    ...options,
    name: JUDGE_GROUP,
    topics: ['ad-events'],
    log,
    step: requireCompleteRegistry(snapshot, createJudgeStep({ log, counters, snapshot })),
    batchMaxRecords: BATCH_MAX_RECORDS,
    pollMaxWaitMs: POLL_MAX_WAIT_MS,
  })
}

/**
 * Judges a batch of one partition: bots and expired events at once; all others by the counters, which apply caps, budgets and
 * the rules against invalid traffic in one atomic call.
 *
 * The counters remember every position: a batch that is repeated after a crash gets the same verdicts. The outputs are stored
 * in the transaction that commits the batch.
 */
export function createJudgeStep(
  deps: Pick<JudgeDeps, 'counters' | 'snapshot'> & { log: Pick<EventLog, 'bounds' | 'read'> },
): StreamStep {
  const { counters, snapshot } = deps

  /** Counters that have lost what was committed are counted again first. */
  async function apply(steps: Step[], progress: Progress, partition: number): Promise<Outcome[]> {
    try {
      return await counters.apply(steps, progress)
    } catch (error) {
      if (!(error instanceof CountersBehind)) throw error
      await restoreCounters(deps, partition, progress.after)
      return counters.apply(steps, progress)
    }
  }

  return async function judgeStep({ partition, records, committed, lastOffset }) {
    const events = (records as DecodedRecord<AdEvent>[]).filter(hasValue)
    const counted = events.filter(({ value }) => verdictWithoutCounters(value) === null)
    const steps = counted.map((record) => judgingStep(record.value, record, termsOf(record.value, snapshot)))
    const progress = { source: sourceOf(partition), after: (committed ?? 0) - 1, upTo: lastOffset }
    const applied = await apply(steps, progress, partition)
    const outcomes = new Map(counted.map((record, i) => [record.offset, applied[i]!]))

    const outputs: NewRecord[] = []
    const dead: DeadRecord[] = []
    for (const record of events) {
      const atSight = verdictWithoutCounters(record.value)
      const judged = atSight ? invalid(atSight) : judgement(record.value, outcomes.get(record.offset)!)
      if (judged) outputs.push(judgedRecord(record, judged))
      else dead.push(unknownCampaign(record))
    }
    return { outputs, dead }
  }
}

/** `ad-events` has no tombstones; a record without a value is skipped. */
function hasValue(record: DecodedRecord<AdEvent>): record is DecodedRecord<AdEvent> & { value: AdEvent } {
  return record.value !== null
}

/** A deleted campaign or shop keeps its last terms. Null: it was never known. */
function termsOf({ claims }: AdEvent, snapshot: Snapshot): Terms | null {
  const campaign = snapshot.getEver('Campaign', claims.campaignId)?.body
  const shop = snapshot.getEver('Shop', claims.shopId)?.body
  if (!campaign || !shop) return null
  const { capping, budgetMicros, dailyBudgetMicros } = campaign
  const traffic = trafficRulesOf(shop.invalidTraffic)
  return { capping, budgetMicros, dailyBudgetMicros, timeZone: shop.timeZone, traffic }
}

function judgedRecord(
  { partition, offset, value }: DecodedRecord<AdEvent> & { value: AdEvent },
  judgement: Judgement,
): NewRecord {
  const judged: JudgedEvent = { ...value, ...judgement, sourcePartition: partition, sourceOffset: offset }
  return { topic: 'judged-events', key: value.claims.campaignId, value: encode('JudgedEvent', judged) }
}

function unknownCampaign({ offset, value }: DecodedRecord<AdEvent> & { value: AdEvent }): DeadRecord {
  const { campaignId, shopId } = value.claims
  return { offset, code: 'UNKNOWN_CAMPAIGN', message: `No campaign ${campaignId} of a shop ${shopId} was ever known` }
}
