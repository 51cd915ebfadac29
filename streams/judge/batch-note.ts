import type { Decision } from './step.ts'

/**
 * What the counters keep of the last batch of a partition of `ad-events`, beside its position in the shard of its campaigns. JSON of
 *
 * - the decisions, so that the batch gets the same ones when it is repeated: the first offset, the different decisions, and one
 *   character for each offset, which says which. Before an offset that does not follow the one before it stands how many lie
 *   between: `+3,`;
 * - of restored spend, the last of the checkpoints that it is from (`streams/spend-checkpoints/restore.ts`);
 * - where each shard must have stood before the batch: an offset, how far each shard may lie behind it, and the shards that the batch
 *   counts in.
 */
type Note = [
  first: number | null,
  kinds: string[],
  codes: string,
  restoredFrom: number | null,
  stands?: [at: number, behind: number[], counting: readonly number[]],
]

/**
 * Where shards stand in a partition. A batch moves on only those that it counts something in; by where the others must
 * stand it is told that one has lost something.
 */
export interface Stands {
  /** For each shard, the last offset that it has counted for certain before the batch. */
  before: readonly number[]
  /** The shards that the batch counts in, but for that of its campaigns. */
  counting: readonly number[]
}

export function encodeNote(decisions: ReadonlyMap<number, Decision>, { before, counting }: Stands): string {
  const kinds = new Map<string, string>()
  let first: number | null = null
  let next = 0
  let codes = ''
  for (const [offset, { outcome, actor }] of decisions) {
    first ??= next = offset
    if (offset > next) codes += `+${offset - next},`
    next = offset + 1
    const kind = `${outcome}/${actor ?? ''}`
    if (!kinds.has(kind)) kinds.set(kind, String.fromCharCode(FIRST_CODE + kinds.size))
    codes += kinds.get(kind)
  }
  const at = Math.max(...before)
  const stands: Note[4] = [at, before.map((each) => at - each), counting]
  return JSON.stringify([first, [...kinds.keys()], codes, null, stands] satisfies Note)
}

/**
 * A note without decisions: every shard holds all that the note's own holds.
 * @param restoredFrom the last of `spend-checkpoints` that the spend was restored from; null: nobody need know.
 */
export const noteWithoutDecisions = (restoredFrom: number | null): string =>
  JSON.stringify([null, [], '', restoredFrom] satisfies Note)

/** The last of `spend-checkpoints` that the counters were restored from, until the judge goes on; -1: none. */
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
      decisions.set(offset++, { outcome, actor: (actor || null) as Decision['actor'] })
    }
  }
  return decisions
}

/**
 * Where each shard must stand at least in a partition, so that nothing is lost of what was counted up to `upTo`.
 * @param position where the shard of its campaigns stands, which holds the note.
 */
export function standsBy(
  note: string | null,
  { position, upTo, shards }: { position: number; upTo: number; shards: number },
): number[] {
  const stands = note === null ? undefined : (JSON.parse(note) as Note)[4]
  if (!stands) return new Array<number>(shards).fill(Math.min(position, upTo))
  const [at, behind, counting] = stands
  // A larger batch that was tried before may have got further.
  const standing = behind.map((each) => Math.min(at - each, upTo))
  // Beyond `upTo`, the batch of the note may have been interrupted before the other shards were stored.
  if (position <= upTo) for (const shard of counting) standing[shard] = position
  return standing
}

/** A letter, and so none of the characters of a gap. */
const FIRST_CODE = 'A'.charCodeAt(0)
