/**
 * Offsets of a log that was restored from a copy whose records have other offsets, such as a mirror:
 * offset = epoch × 2^40 + the record's offset in the copy. Each restore begins the next epoch, so that offsets grow across it: every
 * offset that records, counters and tables name from before is lower than all later ones. A log that was never restored is in epoch 0.
 *
 * This leaves 10^12 records to a partition, and 4,096 epochs below 2^52, the limit of a long in the records.
 */
export const OFFSETS_PER_EPOCH = 2 ** 40
export const EPOCH_MAX = 4_095

export const firstOffsetOf = (epoch: number) => epoch * OFFSETS_PER_EPOCH

export const epochOf = (offset: number) => Math.floor(offset / OFFSETS_PER_EPOCH)

/**
 * A number that grows when any of the offsets grows, also across a restore. A plain sum would soon exceed what a number holds
 * exactly, so the epoch is counted only once.
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
