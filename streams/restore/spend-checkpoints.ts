import { epochOf } from '../../infra/event-log/epochs.ts'
import type { EventLog, LogRecord } from '../../infra/event-log/port.ts'
import type { SpendCheckpoint } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { chunksOf } from '../../services/domain/chunks.ts'
import { readPages } from '../runtime/pages.ts'

const APPENDED_AT_ONCE = 500

interface Correction {
  offset: number
  /** UTC epoch milliseconds. */
  correctedAt: number
}

/** Tells how many of the corrections in a partition of the copy, from the first on, a checkpoint there counts. */
export type CountCorrections = (
  corrections: readonly Correction[],
  checkpoint: SpendCheckpoint & { partition: number; appendedAt: number },
) => number

/** Those that were made before the log accepted the checkpoint. For a mirror, which does not say what offsets they had. */
const correctionsByTime: CountCorrections = (corrections, { appendedAt }) =>
  corrections.findLastIndex(({ correctedAt }) => correctedAt <= appendedAt) + 1

/** Those that had the offsets which the checkpoint counts, in a log that was copied whole and in order. */
export async function correctionsByOrder(original: Pick<EventLog, 'bounds' | 'read'>): Promise<CountCorrections> {
  const offsets = new Map<number, number[]>()
  for (const { partition } of await original.bounds('corrections')) {
    const corrections = await readCorrections(original, partition)
    offsets.set(
      partition,
      corrections.map(({ offset }) => offset),
    )
  }
  return (_, { partition, correctionsOffset }) =>
    (offsets.get(partition) ?? []).findLastIndex((offset) => offset <= correctionsOffset) + 1
}

/**
 * A spend checkpoint says up to which verdict and which correction it counts. Each is written again, so that it fits what was copied:
 *
 * - A checkpoint that counts verdicts which were not copied is replaced by the last one that does not, because the events of those
 *   verdicts are judged again.
 * - A correction is named by its offset, and its copy does not say which offset it had before: `countCorrections` tells which it is. By
 *   time, it is the last correction that was made before this log accepted the checkpoint. A correction that was made by then but not
 *   counted yet is never refunded: the campaign spends less than it might, and not more.
 *
 * Checkpoints that fit already are left as they are.
 * @param lastJudged for each partition, the last offset of `ad-events` that a verdict names.
 * @returns how many were written.
 */
export async function placeSpendCheckpoints(
  log: Pick<EventLog, 'bounds' | 'read' | 'append'>,
  epoch: number,
  lastJudged: ReadonlyMap<number, number>,
  countCorrections: CountCorrections = correctionsByTime,
): Promise<number> {
  let written = 0
  for (const { partition } of await log.bounds('spend-checkpoints')) {
    const last = { epoch, lastJudged: lastJudged.get(partition) ?? -1 }
    const placed = await placedIn(log, partition, last, countCorrections)
    for (const some of chunksOf(placed, APPENDED_AT_ONCE)) {
      await log.append(
        some.map((value) => {
          return { topic: 'spend-checkpoints', key: value.campaignId, value: encode('SpendCheckpoint', value) }
        }),
      )
    }
    written += placed.length
  }
  return written
}

async function placedIn(
  log: Pick<EventLog, 'bounds' | 'read'>,
  partition: number,
  { epoch, lastJudged }: { epoch: number; lastJudged: number },
  countCorrections: CountCorrections,
): Promise<SpendCheckpoint[]> {
  const corrections = await readCorrections(log, partition)
  const checkpoints = (await readAll(log, 'spend-checkpoints', partition)).flatMap(({ value, appendedAt }) =>
    value ? [{ ...decode('SpendCheckpoint', value), appendedAt }] : [],
  )
  const placed: SpendCheckpoint[] = []
  for (const ofCampaign of Map.groupBy(checkpoints, ({ campaignId }) => campaignId).values()) {
    const last = ofCampaign.at(-1)!
    // Where compaction has left no earlier checkpoint, the last one is kept: the spend is too high rather than too low.
    const chosen = ofCampaign.findLast(({ sourceOffset }) => sourceOffset <= lastJudged) ?? last
    const namesCopy = chosen.correctionsOffset < 0 || epochOf(chosen.correctionsOffset) === epoch
    if (chosen === last && namesCopy) continue
    const { appendedAt, ...checkpoint } = chosen
    const counted = countCorrections(corrections, { ...chosen, partition })
    const correctionsOffset = corrections[counted - 1]?.offset ?? -1
    placed.push(namesCopy ? checkpoint : { ...checkpoint, correctionsOffset })
  }
  return placed
}

async function readCorrections(log: Pick<EventLog, 'bounds' | 'read'>, partition: number): Promise<Correction[]> {
  return (await readAll(log, 'corrections', partition)).flatMap(({ value, offset }) =>
    value ? [{ offset, correctedAt: decode('EventCorrection', value).correctedAt }] : [],
  )
}

async function readAll(
  log: Pick<EventLog, 'bounds' | 'read'>,
  topic: 'corrections' | 'spend-checkpoints',
  partition: number,
): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  const { start = 0, end = 0 } = (await log.bounds(topic)).find((each) => each.partition === partition) ?? {}
  for await (const page of readPages(log, topic, partition, { from: start, to: end })) records.push(...page)
  return records
}
