import type { EventLog, PartitionBounds } from '../../infra/event-log/port.ts'
import type { Erasure } from '../../schemas/records/records.ts'
import { type PersonalTopic, personalTopics } from '../../schemas/topics.ts'
import { erased } from '../../services/domain/erasure/erase-record.ts'
import { type Erasures, READ_AFTER_MS } from '../../services/domain/erasure/erasures.ts'
import { decodeOffsetMetadata, SINK_GROUP } from '../sink/offset-metadata.ts'
import { storedTopics } from '../sink/rows.ts'

/** The group whose commits say how far the log has been searched, and for whom. */
const ERASURE_GROUP = 'erasure'
const PAGE_RECORDS = 1_000
/** The most pages per turn, which take a few hundred milliseconds. */
const PAGES_PER_TURN = 20

/** The bounds of all partitions of the topics that name people, at one moment. */
export type LogEnds = readonly (PartitionBounds & { topic: PersonalTopic })[]

export async function endsOfLog(log: Pick<EventLog, 'bounds'>): Promise<LogEnds> {
  const topics = personalTopics.map(async (topic) => (await log.bounds(topic)).map((bounds) => ({ ...bounds, topic })))
  return (await Promise.all(topics)).flat()
}

/**
 * Whether the sink has stored everything that the log held, and no batch is in doubt. A partition may end in offsets without a
 * record: the markers of Kafka's transactions.
 */
export async function isStored(log: Pick<EventLog, 'committed' | 'read'>, ends: LogEnds): Promise<boolean> {
  const commits = await log.committed(SINK_GROUP)
  for (const { topic, partition, start, end } of ends) {
    if (!(storedTopics as readonly string[]).includes(topic) || start === end) continue
    const commit = commits.find((each) => each.topic === topic && each.partition === partition)
    if (commit && decodeOffsetMetadata(commit).pendingLast !== null) return false
    const from = Math.max(start, commit?.offset ?? start)
    if (from >= end) continue
    const [next] = await log.read(topic, partition, from, 1)
    if (next && next.offset < end) return false
  }
  return true
}

/** When the oldest record was appended that may name somebody, UTC epoch milliseconds; Infinity when there is none. */
export async function logBeginsAt(log: Pick<EventLog, 'bounds' | 'read'>): Promise<number> {
  let at = Number.POSITIVE_INFINITY
  for (const { topic, partition, start, end } of await endsOfLog(log)) {
    const [oldest] = start < end ? await log.read(topic, partition, start, 1) : []
    if (oldest) at = Math.min(at, oldest.appendedAt)
  }
  return at
}

/** Whether every record that may name the person has left a log by its retention that begins then. */
export const isLogFree = ({ requestedAt }: Erasure, beginsAt: number): boolean => beginsAt > requestedAt + READ_AFTER_MS

type Place = `${PersonalTopic}/${number}`
const placeOf = (topic: PersonalTopic, partition: number): Place => `${topic}/${partition}`

/** Searches the log for some people from its start, and replaces their identifiers where records can be replaced. */
export class LogSweep {
  /** False when records cannot be replaced, so that only its retention removes anything from the log. */
  readonly replaces: boolean
  readonly #log: EventLog
  readonly #erasures: Erasures
  /** The metadata of its commits: names the people that it searches for. */
  readonly #name: string
  readonly #searchedTo: Map<Place, number>

  private constructor(
    log: EventLog,
    erasures: Erasures,
    at: { replaces: boolean; name: string; searched: Map<Place, number> },
  ) {
    this.#log = log
    this.#erasures = erasures
    this.replaces = at.replaces
    this.#name = at.name
    this.#searchedTo = at.searched
  }

  /** Goes on where an earlier search for the same people stopped. */
  static async resume(log: EventLog, erasures: Erasures, people: readonly Erasure[]): Promise<LogSweep> {
    const replaces = await log.replace('emissions', 0, [])
    const name = people.map(({ id }) => id).join(',')
    const commits = replaces ? await log.committed(ERASURE_GROUP) : []
    const searched = commits
      .filter(({ metadata }) => metadata === name)
      .map(({ topic, partition, offset }) => [placeOf(topic as PersonalTopic, partition), offset] as const)
    return new LogSweep(log, erasures, { replaces, name, searched: new Map(searched) })
  }

  /** Searches a bounded part of the log. @returns whether everything before `ends` has been searched. */
  async advance(ends: LogEnds): Promise<boolean> {
    if (!this.replaces) return true
    let pages = 0
    for (const { topic, partition, start, end } of ends) {
      const place = placeOf(topic, partition)
      let from = Math.max(start, this.#searchedTo.get(place) ?? 0)
      for (; from < end && pages < PAGES_PER_TURN; pages++) {
        from = await this.#page(topic, partition, from)
        this.#searchedTo.set(place, from)
      }
      if (from < end) {
        await this.#note(ends)
        return false
      }
    }
    if (pages > 0) await this.#note(ends)
    // A replacement that failed, or whose process was killed, may have left old bytes in files of the log.
    await this.#log.replace('emissions', 0, [])
    return true
  }

  async forget(): Promise<void> {
    if (this.replaces) await this.#log.reset(ERASURE_GROUP, null)
  }

  /** @returns where the next page begins. */
  async #page(topic: PersonalTopic, partition: number, from: number): Promise<number> {
    const records = await this.#log.read(topic, partition, from, PAGE_RECORDS)
    const replacements = records.flatMap((record) => {
      const replaced = erased(this.#erasures, topic, record)
      return replaced ? [{ ...replaced, offset: record.offset }] : []
    })
    if (replacements.length > 0) await this.#log.replace(topic, partition, replacements)
    return (records.at(-1)?.offset ?? from) + 1
  }

  #note(ends: LogEnds): Promise<void> {
    const commits = ends.flatMap(({ topic, partition }) => {
      const offset = this.#searchedTo.get(placeOf(topic, partition))
      return offset === undefined ? [] : [{ topic, partition, offset, metadata: this.#name }]
    })
    return this.#log.reset(ERASURE_GROUP, commits)
  }
}
