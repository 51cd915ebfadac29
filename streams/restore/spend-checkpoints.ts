import { epochOf } from '../../infra/event-log/epochs.ts'
import type { EventLog, LogRecord } from '../../infra/event-log/port.ts'
import type { SpendCheckpoint } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { readPages } from '../runtime/pages.ts'

const APPENDED_AT_ONCE = 500

/**
 * Checkpoints of the spend name the last correction that is counted in them by its offset, and a correction does not say where
 * it lay before. So each checkpoint is written again with the last correction that was made before the checkpoint was taken by
 * this log. A correction that was made then, and was not counted yet, is never refunded: the campaign spends less than it might,
 * and not more. Checkpoints that were placed already are left as they are.
 * @returns how many were written.
 */
export async function placeSpendCheckpoints(
  log: Pick<EventLog, 'bounds' | 'read' | 'append'>,
  epoch: number,
): Promise<number> {
  let written = 0
  for (const { partition } of await log.bounds('spend-checkpoints')) {
    const corrections = (await readAll(log, 'corrections', partition)).flatMap(({ value, offset }) =>
      value ? [{ offset, correctedAt: decode('EventCorrection', value).correctedAt }] : [],
    )
    const checkpoints = await earlierCheckpoints(log, partition, epoch)
    for (let from = 0; from < checkpoints.length; from += APPENDED_AT_ONCE) {
      const chunk = checkpoints.slice(from, from + APPENDED_AT_ONCE).map(({ checkpoint, appendedAt }) => {
        const last = corrections.findLast(({ correctedAt }) => correctedAt <= appendedAt)
        return { ...checkpoint, correctionsOffset: last?.offset ?? -1 }
      })
      await log.append(
        chunk.map((value) => {
          return { topic: 'spend-checkpoints', key: value.campaignId, value: encode('SpendCheckpoint', value) }
        }),
      )
    }
    written += checkpoints.length
  }
  return written
}

/** The last checkpoint of each campaign that names a correction of an earlier epoch. */
async function earlierCheckpoints(log: Pick<EventLog, 'bounds' | 'read'>, partition: number, epoch: number) {
  const last = new Map<string, { checkpoint: SpendCheckpoint; appendedAt: number }>()
  for (const { value, appendedAt } of await readAll(log, 'spend-checkpoints', partition)) {
    if (!value) continue
    const checkpoint = decode('SpendCheckpoint', value)
    last.set(checkpoint.campaignId, { checkpoint, appendedAt })
  }
  return [...last.values()].filter(({ checkpoint: { correctionsOffset } }) => {
    return correctionsOffset >= 0 && epochOf(correctionsOffset) < epoch
  })
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
