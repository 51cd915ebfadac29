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
  /** Must know the registry as it stands before the judge runs: an unknown campaign's events are dead letters. */
  snapshot: Snapshot
  now: () => number
  logger: StreamLogger
  retry?: StreamOptions['retry']
}

/** The stream that gives each view and click its verdict: the one place where they are counted, capped and billed. */
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
 * `ad-events` to `judged-events`. Counters know each position, so a batch that comes again after a crash gets the verdicts
 * that it got, and its outputs are stored with the commit. Counters that have lost what is committed are counted again first.
 */
export function createJudgeStep(
  deps: Pick<JudgeDeps, 'counters' | 'snapshot'> & { log: Pick<EventLog, 'bounds' | 'read'> },
): StreamStep {
  const { counters, snapshot } = deps

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

/** Nobody deletes an event; a record without a value says nothing. */
function hasValue(record: DecodedRecord<AdEvent>): record is DecodedRecord<AdEvent> & { value: AdEvent } {
  return record.value !== null
}

/** A campaign or shop that was deleted since still has its last terms. */
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
