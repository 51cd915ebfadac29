import { epochOf } from '../../infra/event-log/epochs.ts'
import type { EventLog, LogRecord } from '../../infra/event-log/port.ts'
import type { SpendCheckpoint } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { chunksOf } from '../../services/domain/chunks.ts'
import { readPages } from '../runtime/pages.ts'

const APPENDED_AT_ONCE = 500

/**
 * A spend checkpoint says up to which verdict and which correction it counts. Each is written again, so that it fits what was copied:
 *
 * - A checkpoint that counts verdicts which were not copied is replaced by the last one that does not, because the events of those
 *   verdicts are judged again.
 * - A correction is named by its offset, and its copy does not say which offset it had before. The last correction that was made
 *   before this log accepted the checkpoint is taken for it. A correction that was made by then but not counted yet is never
 *   refunded: the campaign spends less than it might, and not more.
 *
 * Checkpoints that fit already are left as they are.
 * @param lastJudged for each partition, the last offset of `ad-events` that a verdict names.
 * @returns how many were written.
 */
export async function placeSpendCheckpoints(
  log: Pick<EventLog, 'bounds' | 'read' | 'append'>,
  epoch: number,
  lastJudged: ReadonlyMap<number, number>,
): Promise<number> {
  let written = 0
  for (const { partition } of await log.bounds('spend-checkpoints')) {
    const placed = await placedIn(log, partition, epoch, lastJudged.get(partition) ?? -1)
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
  epoch: number,
  lastJudged: number,
): Promise<SpendCheckpoint[]> {
  const corrections = (await readAll(log, 'corrections', partition)).flatMap(({ value, offset }) =>
    value ? [{ offset, correctedAt: decode('EventCorrection', value).correctedAt }] : [],
  )
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
    const counted = corrections.findLast(({ correctedAt }) => correctedAt <= appendedAt)?.offset ?? -1
    placed.push(namesCopy ? checkpoint : { ...checkpoint, correctionsOffset: counted })
  }
  return placed
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
