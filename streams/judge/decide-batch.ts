import { type Counters, CountersBehind } from '../../infra/counters/port.ts'
import { shardsOf } from '../../infra/counters/shards.ts'
import { Revoked } from '../../infra/event-log/port.ts'
import { inSlices, inSpareSlices } from '../runtime/slices.ts'
import { BatchCounters, retryWhenMoved, sourceOf } from './batch-counters.ts'
import { decodeDecisions, encodeNote, isOfLog, type NotedEvent, standsBy } from './batch-note.ts'
import { JUDGE_GROUP } from './recount/judged-up-to.ts'
import type { RecountDeps } from './recount.ts'
import { carryOut, type Decision, decide, type Step } from './step.ts'
import type { Place } from './verdict.ts'

/** A batch of one partition of `ad-events`. */
export interface EventBatch<Event extends NotedEvent, Outcome> {
  place: Place
  /** In the order of their offsets. */
  events: readonly Event[]
  /** Makes the step of an event, which refers to the counters of the current attempt. */
  stepOf: (event: Event, counters: BatchCounters) => Step
  /**
   * Makes the outcome of the decisions, which are in the order of the events. It runs while they are being stored, and its result is
   * only used once they are.
   */
  outcomeOf: (decisions: readonly Decision[]) => Promise<Outcome>
  /** Resolves, once the batch before it is done, to the last offset that the judge has committed. */
  after: () => Promise<number>
  /** The last offset of the batch, even if its record has no step. */
  upTo: number
  /** `completeShards`, beginning with this partition. */
  complete: (partition: number) => Promise<void>
}

/**
 * Decides each step once, and counts its changes once, however often the batch is repeated and whoever else works on it. The
 * counters first store the changes of campaigns with the decisions, in one atomic step that moves the position on, and then the
 * changes of people. A repeated batch takes the decisions that are stored already, and stores only the rest.
 * @returns the outcome of the decisions.
 * @throws Revoked when another member has judged the batch and gone on since.
 */
export async function decideBatch<Event extends NotedEvent, Outcome>(
  deps: RecountDeps,
  batch: EventBatch<Event, Outcome>,
): Promise<Outcome> {
  try {
    return await retryWhenMoved(() => attempt(deps, batch))
  } catch (error) {
    if (!(error instanceof CountersBehind)) throw error
    await batch.complete(batch.place.shard)
    return retryWhenMoved(() => attempt(deps, batch))
  }
}

async function attempt<Event extends NotedEvent, Outcome>(
  { log, counters, now }: RecountDeps,
  { place, events, stepOf, outcomeOf, after: settled, upTo }: EventBatch<Event, Outcome>,
): Promise<Outcome> {
  const values = new BatchCounters({
    source: sourceOf('ad-events', place.shard),
    own: place.shard,
    shards: shardsOf(place),
    now,
  })
  const steps = await inSpareSlices(events, (event) => {
    const step = stepOf(event, values)
    values.expect(step)
    return { offset: event.offset, step }
  })
  const after = await settled()
  const { position, note, complete } = values.take(await counters.load(values.loads(after)))
  // Events of its campaigns may also be in other partitions, from when there were fewer. The position says nothing about those.
  if (!complete) throw new CountersBehind(`Shard ${place.shard} of the counters is not complete`)

  const before = values.requireStands(standsBy(note, { position, upTo: after, shards: counters.shards }))
  const isRepeated = position > after
  if (isRepeated && !isOfLog(note, events)) throw ofAnotherLog({ partition: place.shard, position })
  const kept = isRepeated ? decodeDecisions(note) : NONE
  if (isRepeated && events.some(({ offset }) => offset <= position && !kept.has(offset))) {
    await throwIfJudged(log, { partition: place.shard, after })
    throw ofAnotherLog({ partition: place.shard, position })
  }
  const decisions = await inSlices(steps, ({ offset, step }) => {
    const decision = offset > position ? decide(step, values) : kept.get(offset)!
    values.at(offset)
    carryOut(step, decision, values)
    return decision
  })

  const noteOf = (counting: readonly number[]) => encodeNote(events, decisions, { before, counting })
  const [, outcome] = await Promise.all([storeAll(counters, values, { upTo, noteOf }), outcomeOf(decisions)])
  return outcome
}

/** The counters have no decisions on a batch once its judge has gone on to later ones: this process was frozen meanwhile. */
async function throwIfJudged(
  log: Pick<RecountDeps['log'], 'committed'>,
  { partition, after }: { partition: number; after: number },
): Promise<void> {
  const commits = await log.committed(JUDGE_GROUP)
  const commit = commits.find((each) => each.topic === 'ad-events' && each.partition === partition)
  if (commit && commit.offset - 1 > after)
    throw new Revoked(`Another member has judged ad-events/${partition} since this batch was read`)
}

const ofAnotherLog = ({ partition, position }: { partition: number; position: number }) =>
  new Error(
    `The counters have counted ad-events/${partition} up to offset ${position}, and the log has other events there: they belong to another log. Delete their keys (NAMESPACE:*), and they are counted from this one`,
  )

/** Stores the changes of campaigns with the decisions first: after an interruption, people are counted by the stored decisions. */
async function storeAll(
  counters: Counters,
  values: BatchCounters,
  { upTo, noteOf }: { upTo: number; noteOf: (counting: readonly number[]) => string },
): Promise<void> {
  const others = values.otherChanges(upTo)
  const own = values.ownChange(upTo, noteOf(others.map(({ shard }) => shard)))
  if (own) await counters.store(own)
  await Promise.all(others.map((change) => counters.store(change)))
}

const NONE: ReadonlyMap<number, Decision> = new Map()
