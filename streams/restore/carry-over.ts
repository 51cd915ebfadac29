import { followErasures } from '../../infra/event-log/erasures-tail.ts'
import { logEpochRecord, readLogEpoch } from '../../infra/event-log/log-epoch.ts'
import type { Assignment, EventLog, LogConsumer, LogRecord, NewRecord } from '../../infra/event-log/port.ts'
import { type TopicName, topicNames } from '../../schemas/topics.ts'
import { erased, isPersonal } from '../../services/domain/erasure/erase-record.ts'
import type { Erasures } from '../../services/domain/erasure/erasures.ts'
import { OperatorError } from '../../services/domain/errors.ts'
import { readPages } from '../runtime/pages.ts'

/** The process that owns the only partition of this topic carries over; the others are fenced. */
const PLACE_TOPIC = 'log-epoch'
export const CARRY_OVER_GROUP = 'carry-over'
/** The epoch in which the restore of the carried log goes on. The offsets that its records name are those of epoch 0. */
const EPOCH = 1
const POLL_MS = 100
const ANOTHER_LOG = 'Another log is being copied into these topics: name another NAMESPACE'

/** Thrown when the log that is to be filled holds records that did not come from the source. */
export class LogNotEmpty extends OperatorError {
  override readonly name = 'LogNotEmpty'
}

/**
 * How far a log has been carried over: the metadata of the group's commit, which is made in one atomic step with the records that it
 * counts.
 *
 * | Commit | Means |
 * |---|---|
 * | none | nothing has been carried and every topic is empty; or, while an epoch is being restored, everything has been carried |
 * | `next` | every record before these offsets of the source has been carried once, and no other |
 * | `next: null` | the log is restored, and works on its own |
 */
interface CarryOverProgress {
  /** The id of the log that is carried over. No other log may go on from here. */
  sourceId: string
  next: Partial<Record<TopicName, number[]>> | null
}

/** Thrown when a log has been carried over in part only. */
export class CarryOverUnfinished extends OperatorError {
  override readonly name = 'CarryOverUnfinished'
}

/** The mark is made before the first record is carried. A source whose mark was removed may have gone on, and is another log. */
export interface CarryOverMark {
  read(): string | null
  /** Stores the id, unless there is one. @returns the stored one. */
  make(): string
}

export interface CarryOverDeps {
  source: EventLog
  /** The source's own mark that it is being carried over: an id that distinguishes it from any other log. */
  mark: CarryOverMark
  /** The log as it is stored in Kafka, without epochs: `LogRestore.copy`. */
  target: EventLog
  /** UTC epoch milliseconds. */
  now: () => number
  onTopic?: (topic: TopicName, records: number) => void
}

/**
 * Appends every record of a log to another one, once and in order. After any interruption, call it again. From its first step on, no
 * process starts on the target until a restore has ended. Both logs must have the same numbers of partitions.
 *
 * People whose erasure is not done get their pseudonyms in the target. There, records are as old as the copy, so that nobody would
 * look for identifiers of before in them any more.
 * @throws LogNotEmpty, and nothing was changed.
 */
export async function carryOver(deps: CarryOverDeps): Promise<void> {
  const { source, mark, target } = deps
  const begun = progressIn(await target.committed(CARRY_OVER_GROUP))
  const isComplete = begun === null && (await readLogEpoch(target)).restoring
  if (isComplete && mark.read() === null) throw new LogNotEmpty(ANOTHER_LOG)
  if (isComplete) return
  await requireOwn(target, begun, mark.read())
  const sourceId = mark.make()
  const { erasures, known, close } = followErasures(source)
  const member = await target.consumer({ group: CARRY_OVER_GROUP, topics: [PLACE_TOPIC] })
  try {
    await known()
    const place = await placeOf(member)
    const next = progressIn(place.committed ? [place.committed] : [])?.next ?? {}
    const commit = (outputs: Parameters<LogConsumer['commit']>[2]) =>
      member.commit(
        place,
        { offset: 0, metadata: JSON.stringify({ sourceId, next } satisfies CarryOverProgress) },
        outputs,
      )
    if (place.committed === null) await commit([restoring(deps.now())])
    for (const topic of topicNames) {
      if (topic === PLACE_TOPIC) continue
      let records = 0
      for (const { partition, start, end } of await source.bounds(topic)) {
        next[topic] ??= []
        const from = Math.max(start, next[topic][partition] ?? 0)
        for await (const page of readPages(source, topic, partition, { from, to: end })) {
          next[topic][partition] = page.at(-1)!.offset + 1
          await commit(page.map((record) => carried(erasures, topic, record)))
          records += page.length
        }
      }
      deps.onTopic?.(topic, records)
    }
  } finally {
    await member.close()
    await close()
  }
}

function carried(erasures: Erasures, topic: TopicName, { key, value }: LogRecord): NewRecord {
  const replaced = isPersonal(topic) ? erased(erasures, topic, { key, value }) : null
  return { topic, ...(replaced ?? { key, value }) }
}

/** Marks the target as a log of its own. Call it when its restore has ended. */
export async function finishCarryOver({ target, mark }: Pick<CarryOverDeps, 'target' | 'mark'>): Promise<void> {
  const metadata = JSON.stringify({ sourceId: mark.make(), next: null } satisfies CarryOverProgress)
  await target.reset(CARRY_OVER_GROUP, [{ topic: PLACE_TOPIC, partition: 0, offset: 0, metadata }])
}

/** @throws CarryOverUnfinished when the target still lacks records of the source: a restore would make them missing for ever. */
export async function requireCarriedOver(target: Pick<EventLog, 'committed'>): Promise<void> {
  const begun = progressIn(await target.committed(CARRY_OVER_GROUP))
  if (begun === null || begun.next === null) return
  throw new CarryOverUnfinished(
    'The log of an embedded installation is being copied into these topics: run `make migrate` again',
  )
}

function progressIn(commits: readonly { metadata: string }[]): CarryOverProgress | null {
  return commits[0] ? (JSON.parse(commits[0].metadata) as CarryOverProgress) : null
}

async function requireOwn(target: EventLog, begun: CarryOverProgress | null, sourceId: string | null): Promise<void> {
  if (begun?.next === null) throw new LogNotEmpty('A log has already been copied into these topics')
  if (begun && begun.sourceId !== sourceId) throw new LogNotEmpty(ANOTHER_LOG)
  if (begun) return
  for (const topic of topicNames) {
    if (topic === PLACE_TOPIC) continue
    const holding = (await target.bounds(topic)).find(({ start, end }) => end > start)
    if (!holding) continue
    throw new LogNotEmpty(`The topic ${topic} holds other records: name another NAMESPACE, or remove its topics`)
  }
}

async function placeOf(member: LogConsumer): Promise<Assignment> {
  for (;;) {
    const [place] = member.assigned()
    if (place) return place
    await member.poll({ maxRecords: 1, maxWaitMs: POLL_MS })
  }
}

const restoring = (now: number) =>
  logEpochRecord({ epoch: EPOCH, restoring: true, restoredAt: now, judgedTo: [], clusterId: null })
