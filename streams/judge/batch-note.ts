import { fingerprintOf, numberOf } from '../../infra/counters/fingerprint.ts'
import { type Decision, decisionOf } from './step.ts'

/**
 * The note that the counters keep of the last batch of a partition of `ad-events`, next to its position in the shard of its campaigns.
 * It is JSON of
 *
 * - the decisions, so that a repeated batch gets the same ones: the first offset, the distinct decisions, and for each offset one
 *   character that names its decision. Where offsets are left out, their number stands before the next character: `+3,`;
 * - when spend was restored, the offset of the last checkpoint that it was restored from (`spend/restore.ts`);
 * - the position that each shard must have had before the batch: an offset, how far each shard may be behind it, and the shards that
 *   the batch counts in;
 * - the fingerprint of the first event's id, by which events of another log are told from these.
 */
type Note = [
  first: number | null,
  kinds: string[],
  codes: string,
  restoredFrom: number | null,
  stands?: [at: number, behind: number[], counting: readonly number[]],
  firstEvent?: number | null,
]

/**
 * The positions of shards in a partition. A batch moves on only the shards that it counts in. A shard that is before the position
 * that it must have has lost something.
 */
export interface Stands {
  /** For each shard, the last offset that it has certainly counted before the batch. */
  before: readonly number[]
  /** The shards that the batch counts in, except that of its campaigns. */
  counting: readonly number[]
}

/** An event that a note is about. */
export interface NotedEvent {
  offset: number
  value: { eventId: string }
}

/** @param decisions on the events, in their order. */
export function encodeNote(
  events: readonly NotedEvent[],
  decisions: readonly Decision[],
  { before, counting }: Stands,
): string {
  const kinds: string[] = []
  const codeOf = new Map<Decision, string>()
  const codes: string[] = []
  const first = events[0]?.offset ?? null
  let next = first
  for (let i = 0; i < events.length; i++) {
    const { offset } = events[i]!
    const decision = decisions[i]!
    if (offset > next!) codes.push(`+${offset - next!},`)
    next = offset + 1
    let code = codeOf.get(decision)
    if (code === undefined) {
      code = String.fromCharCode(FIRST_CODE + kinds.length)
      kinds.push(`${decision.outcome}/${decision.actor ?? ''}`)
      codeOf.set(decision, code)
    }
    codes.push(code)
  }
  const at = Math.max(...before)
  const stands: Note[4] = [at, before.map((each) => at - each), counting]
  const firstEvent = events.length > 0 ? nameOf(events[0]!) : null
  return JSON.stringify([first, kinds, codes.join(''), null, stands, firstEvent] satisfies Note)
}

/** Whether events, which may be others than the note's, are of the log that the note was made of, as far as the note can tell. */
export function isOfLog(note: string | null, events: readonly NotedEvent[]): boolean {
  const [first, , , , , firstEvent = null] = note === null ? [] : (JSON.parse(note) as Note)
  const event = firstEvent === null ? undefined : events.find(({ offset }) => offset === first)
  return event === undefined || nameOf(event) === firstEvent
}

const nameOf = ({ value }: NotedEvent) => numberOf(fingerprintOf(value.eventId))

/**
 * A note without decisions. It says that every shard has counted as far as the shard that holds the note.
 * @param restoredFrom the last offset of `spend-checkpoints` that the spend was restored from; null when nobody needs to know it.
 */
export const noteWithoutDecisions = (restoredFrom: number | null): string =>
  JSON.stringify([null, [], '', restoredFrom] satisfies Note)

/** The last offset of `spend-checkpoints` that the counters were restored from; -1 for none, and once the judge has gone on. */
export function restoredFrom(note: string | null): number {
  return note === null ? -1 : ((JSON.parse(note) as Note)[3] ?? -1)
}

export function decodeDecisions(note: string | null): Map<number, Decision> {
  const decisions = new Map<number, Decision>()
  if (note === null) return decisions
  const [first, kinds, codes] = JSON.parse(note) as Note
  let offset = first!
  for (const [text, gap] of codes.matchAll(/\+(\d+),|./gs)) {
    if (gap !== undefined) offset += Number(gap)
    else {
      const [outcome, actor] = kinds[text.charCodeAt(0) - FIRST_CODE]!.split('/') as [string, string]
      decisions.set(offset++, decisionOf(outcome, (actor || null) as Decision['actor']))
    }
  }
  return decisions
}

/**
 * The position that each shard must have reached in a partition, if it has lost nothing of what was counted up to `upTo`.
 * @param position the position of the shard of its campaigns, which holds the note.
 */
export function standsBy(
  note: string | null,
  { position, upTo, shards }: { position: number; upTo: number; shards: number },
): number[] {
  const stands = note === null ? undefined : (JSON.parse(note) as Note)[4]
  if (!stands) return new Array<number>(shards).fill(Math.min(position, upTo))
  const [at, behind, counting] = stands
  // An earlier attempt at a larger batch may have moved a shard beyond `upTo`.
  const standing = behind.map((each) => Math.min(at - each, upTo))
  // With a position beyond `upTo`, the batch of the note may have been interrupted before the other shards were stored.
  if (position <= upTo) for (const shard of counting) standing[shard] = position
  return standing
}

/** The character of the first decision: a letter, so that it cannot be taken for a part of a gap. */
const FIRST_CODE = 'A'.charCodeAt(0)
