import type { NewRows } from '../../infra/analytics/queries/attribution/lookups.ts'
import { epochOf, sumOfOffsets } from '../../infra/event-log/epochs.ts'
import type { Commit, Position } from '../../infra/event-log/port.ts'
import { CREDIT_RULES_VERSION } from '../../services/domain/attribution/credit.ts'
import type { StoredTopic } from '../sink/rows.ts'

/** Which offsets of the sink's rows a run takes, and how far it has come afterwards. */

/** Offsets [from, to) of a partition. */
export interface OffsetRange {
  topic: StoredTopic
  partition: number
  from: number
  to: number
}

/**
 * The offsets that the sink has stored and a stream has not seen, at most `runOffsets` of each topic, of which each of its partitions has
 * an equal share. Two kinds of range are taken whole, since most of their offsets have no records: the first of a partition that is not
 * in `starts`, and one across epochs of the log.
 */
export function newRanges(
  stored: readonly Commit[],
  done: readonly Commit[],
  { starts = [], runOffsets = Number.POSITIVE_INFINITY }: { starts?: readonly Position[]; runOffsets?: number } = {},
): OffsetRange[] {
  const partitionsOf = (topic: string) => stored.filter((commit) => commit.topic === topic).length
  return stored.flatMap((commit) => {
    const topic = commit.topic as StoredTopic
    const from = (placeIn(done, commit) ?? placeIn(starts, commit))?.offset ?? null
    const isDense = from !== null && epochOf(from) === epochOf(commit.offset)
    const share = Math.ceil(runOffsets / partitionsOf(topic))
    const to = isDense ? Math.min(commit.offset, from + share) : commit.offset
    return to > (from ?? 0) ? [{ topic, partition: commit.partition, from: from ?? 0, to }] : []
  })
}

export function placeIn(
  places: readonly Position[],
  { topic, partition }: Pick<Position, 'topic' | 'partition'>,
): Position | undefined {
  return places.find((each) => each.topic === topic && each.partition === partition)
}

/** The commits after these ranges are done too. */
export function advanced(done: readonly Commit[], ranges: readonly OffsetRange[]): Commit[] {
  const others = done.filter(
    ({ topic, partition }) => !ranges.some((range) => range.topic === topic && range.partition === partition),
  )
  return [...others, ...ranges.map(({ topic, partition, to }) => ({ topic, partition, offset: to, metadata: '' }))]
}

/** How much of the log is done, as a version: it grows with every run and with the rules, and is the same when a run is repeated. */
export function versionOf(commits: readonly Commit[]): number {
  return sumOfOffsets(commits.map(({ offset }) => offset)) + CREDIT_RULES_VERSION
}

export function rowsIn(ranges: readonly OffsetRange[]): string | null {
  if (ranges.length === 0) return null
  return ranges
    .map(({ partition, from, to }) => `(_partition = ${partition} AND _offset >= ${from} AND _offset < ${to})`)
    .join(' OR ')
}

/** For each topic, the SQL condition for its rows in some ranges. */
export const newRowsIn =
  (ranges: readonly OffsetRange[]): NewRows =>
  (topic) =>
    rowsIn(ranges.filter((range) => range.topic === topic))
