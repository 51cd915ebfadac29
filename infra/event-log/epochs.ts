/**
 * Offsets of a log that was restored from a copy whose records lie elsewhere, as in a mirror: offset = epoch × 2^40 + where
 * the record lies in the copy. A restore begins the next epoch, so that offsets grow over it: what records, counters and tables
 * name from before is lower than everything that comes after. A log that was never restored is in epoch 0.
 *
 * It leaves 10^12 records to a partition, and 4,096 epochs below 2^52, the limit of a long in the records.
 */
export const OFFSETS_PER_EPOCH = 2 ** 40
export const EPOCH_MAX = 4_095

export const firstOffsetOf = (epoch: number) => epoch * OFFSETS_PER_EPOCH

export const epochOf = (offset: number) => Math.floor(offset / OFFSETS_PER_EPOCH)

/**
 * A number that grows when any of the offsets does, over a restore too. The sum itself would soon exceed what a number holds
 * exactly, so the epoch counts once.
 */
export function sumOfOffsets(offsets: Iterable<number>): number {
  let epoch = 0
  let sum = 0
  for (const offset of offsets) {
    epoch = Math.max(epoch, epochOf(offset))
    sum += offset % OFFSETS_PER_EPOCH
  }
  return firstOffsetOf(epoch) + sum
}
