import type { Counters } from '../../infra/counters/port.ts'
import { shardOf } from '../../infra/counters/shards.ts'
import type { EventLog, NewRecord } from '../../infra/event-log/port.ts'
import type { AdEvent } from '../../schemas/records/events.ts'
import { judgedEventBytes } from '../../schemas/wire/ad-event.ts'
import { encode } from '../../schemas/wire/codec.ts'
import { memoized } from '../../services/domain/memoized.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import type { DeadRecord, DecodedRecord } from '../runtime/pipeline/outcome.ts'
import {
  createStream,
  requireCompleteRegistry,
  type StreamOptions,
  type StreamStep,
} from '../runtime/pipeline/pipeline.ts'
import { inSlices } from '../runtime/slices.ts'
import type { Stream, StreamLogger } from '../runtime/stream.ts'
import { completeShards } from './counters-repair.ts'
import { decideBatch } from './decide-batch.ts'
import { JUDGE_GROUP, restoreJudgeCommits } from './recount/judged-up-to.ts'
import type { RecountDeps } from './recount.ts'
import {
  invalid,
  type Judgement,
  judgement,
  judgingStep,
  type Terms,
  termsOf,
  verdictWithoutCounters,
} from './verdict.ts'

/**
 * A batch costs one transaction, and one store in each shard that it counts in, so a backlog is better judged in large batches.
 * But selection's reads of the counters wait for each store. Exported for the benchmark of the counters.
 */
export const BATCH_MAX_RECORDS = 8_000
/** While the counters load or store for one batch, others are decided. With few events, their calls are sent together. */
const CONCURRENCY = 16
/** Verdicts may be a few tenths of a second late, and each batch has a fixed cost. */
const GATHER_MS = 250

export interface JudgeDeps {
  log: EventLog
  counters: Counters
  /** Must follow the registry: an event of a campaign that it does not name becomes a dead letter. */
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
  const step = createJudgeStep({ log, counters, snapshot, now: options.now })
  return createStream({
    ...options,
    name: JUDGE_GROUP,
    topics: ['ad-events'],
    log,
    beforeJoining: () => restoreJudgeCommits(log, options.logger),
    step: requireCompleteRegistry(snapshot, step),
    beginsEarly: true,
    batchMaxRecords: BATCH_MAX_RECORDS,
    concurrency: CONCURRENCY,
    gatherMs: GATHER_MS,
  })
}

/**
 * Judges a batch of one partition: bots and expired events without the counters, all others by the counters, which apply caps,
 * budgets and the rules against invalid traffic.
 *
 * The counters remember the decisions of the last batch, so a batch that is repeated after a crash gets the same verdicts. The
 * outputs are stored in the transaction that commits the batch.
 */
export function createJudgeStep(deps: RecountDeps): StreamStep {
  const { counters, snapshot } = deps
  const shardFor = memoized((campaignId: string) => shardOf(campaignId, counters.shards))
  /** Counts again what was lost, for all batches that find it at the same time. */
  let completing: Promise<void> | null = null
  const complete = (partition: number) => {
    completing ??= completeShards(deps, partition).finally(() => {
      completing = null
    })
    return completing
  }

  return async function judgeStep({ partition, records, turn, lastOffset }) {
    const place = { shard: partition, shards: counters.shards }
    const events: EventRecord[] = []
    const passedOn: EventRecord[] = []
    for (const record of records as DecodedRecord<AdEvent>[]) {
      if (!hasValue(record)) continue
      const isHere = shardFor(record.value.claims.campaignId) === partition
      ;(isHere ? events : passedOn).push(record)
    }
    const counted = events.filter(({ value }) => verdictWithoutCounters(value) === null)
    const termsFor = termsByCampaign(snapshot)
    if (counted.some(({ value }) => termsFor(value) === null)) await requireRegistryRead(deps)
    return decideBatch(deps, {
      place,
      events: counted,
      stepOf: ({ value }, batch) => judgingStep(value, place, termsFor(value), batch),
      after: async () => ((await turn()) ?? 0) - 1,
      upTo: lastOffset,
      complete,
      async outcomeOf(decisions) {
        const outputs: NewRecord[] = passedOn.map(eventAgain)
        const dead: DeadRecord[] = passedOn.map(movedPartition)
        let decided = 0
        await inSlices(events, (record) => {
          const atSight = verdictWithoutCounters(record.value)
          const judged = atSight ? invalid(atSight) : judgement(record.value, decisions[decided++]!)
          if (judged) outputs.push(judgedRecord(record, judged))
          else dead.push(unknownCampaign(record))
        })
        return { outputs, dead }
      },
    })
  }
}

/** Throws while the log holds entries of the registry that this process has not applied: they may be the campaign's first. */
async function requireRegistryRead({ log, snapshot }: Pick<RecountDeps, 'log' | 'snapshot'>): Promise<void> {
  const [next] = await log.read('registry', 0, snapshot.position, 1)
  if (!next) return
  throw new Error(
    `An event is of a campaign that is not known here, where the registry is read up to ${snapshot.position}`,
  )
}

/** The terms of each campaign of a batch, looked up once. */
function termsByCampaign(snapshot: Snapshot): (event: AdEvent) => Terms | null {
  const known = new Map<string, { shopId: string; terms: Terms | null }>()
  return (event) => {
    const { campaignId, shopId } = event.claims
    let found = known.get(campaignId)
    if (found?.shopId !== shopId) {
      found = { shopId, terms: termsOf(event, snapshot) }
      known.set(campaignId, found)
    }
    return found.terms
  }
}

type EventRecord = DecodedRecord<AdEvent> & { value: AdEvent }

/** `ad-events` has no tombstones; a record without a value is skipped. */
function hasValue(record: DecodedRecord<AdEvent>): record is EventRecord {
  return record.value !== null
}

/**
 * Appends the event again, to the partition that its campaign belongs to now. A process that noticed too late that partitions were
 * added has appended it to the former one.
 */
function eventAgain({ value }: EventRecord): NewRecord {
  return { topic: 'ad-events', key: value.claims.campaignId, value: encode('AdEvent', value) }
}

function movedPartition({ offset }: DecodedRecord<AdEvent>): DeadRecord {
  return { offset, code: 'MOVED_PARTITION', message: 'Passed on to the partition that its campaign has now' }
}

function judgedRecord({ partition, offset, value, bytes }: EventRecord, judgement: Judgement): NewRecord {
  const judged = { ...judgement, sourcePartition: partition, sourceOffset: offset }
  return {
    topic: 'judged-events',
    key: value.claims.campaignId,
    value: judgedEventBytes(bytes!, judged) ?? encode('JudgedEvent', { ...value, ...judged }),
  }
}

function unknownCampaign({ offset, value }: EventRecord): DeadRecord {
  const { campaignId, shopId } = value.claims
  return { offset, code: 'UNKNOWN_CAMPAIGN', message: `No campaign ${campaignId} of a shop ${shopId} was ever known` }
}
