import { epochOf } from '../../infra/event-log/epochs.ts'
import type { EventLog, LogRecord } from '../../infra/event-log/port.ts'
import type { SpendCheckpoint } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { chunksOf } from '../../services/domain/chunks.ts'
import { readPages } from '../runtime/pages.ts'

const APPENDED_AT_ONCE = 500

/**
 * Checkpoints of the spend say up to which verdict and which correction they count. Each is written again, so that it fits what
 * was copied:
 *
 * - One that counts verdicts which were not copied gives way to the last before it, because their events are judged again.
 * - A correction is named by its offset, and does not say where it lay before: the last that was made before this log took the
 *   checkpoint is taken for it. One that was made then and was not counted yet is never refunded: the campaign spends
 *   less than it might, and not more.
 *
 * Those that were placed already are left as they are.
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
    // Where compaction has left no earlier one, the spend is rather too high.
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
