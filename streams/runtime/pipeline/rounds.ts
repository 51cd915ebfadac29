import type { Assignment, Batch } from '../../../infra/event-log/port.ts'
import { readablePart, type Unreadable } from './outcome.ts'

/** A batch without the record at which it must end, and what follows it. */
export interface ReadableBatch {
  /** Its records may be none. */
  batch: Batch
  /** Null when this program can read the whole batch. */
  unreadable: Unreadable | null
  /** Settles once the batch before it in its partition has. False: that one is read again, and then so is this one. */
  turn: Promise<boolean>
}

/** A batch that must be read again. */
export interface FailedBatch {
  batch: Batch
  error: Error
}

export interface RoundsOptions {
  /** Returns null when no records are left. */
  poll: () => Promise<Batch | null>
  /** No more batches are added to a round once it has this many records. */
  recordsMax: number
  /** Works and commits a round. Each batch waits for its turn. */
  process: (round: readonly ReadableBatch[]) => Promise<FailedBatch[]>
  /** Makes the next poll begin with failed batches again, when it is time for that. */
  retry: (failed: readonly FailedBatch[]) => Promise<void>
  stopping: () => boolean
}

/** While one round waits for the engines, the next is worked, and another one read. */
const ROUNDS_MAX = 3

/**
 * Gathers batches into rounds, and processes them until no records are left. A round has one batch of each partition at most. Its turn
 * comes when the round before it, if that has a batch of the same partition, is committed.
 * @param first the first batch.
 * @returns how many records were read.
 * @throws the error of `process`, once no round is under way any more.
 */
export async function processInRounds(first: Batch, options: RoundsOptions): Promise<number> {
  const { poll, recordsMax, process, retry, stopping } = options
  /** The oldest is first. */
  const underWay: { round: readonly ReadableBatch[]; done: Promise<FailedBatch[]> }[] = []
  let waiting: Batch | null = first
  let isDrained = false
  let records = 0

  function begin(round: readonly ReadableBatch[]): void {
    const done = process(round)
    // It is awaited later. Until then, its failure must not count as unhandled.
    done.catch(() => {})
    underWay.push({ round, done })
    for (const { batch } of round) records += batch.records.length
  }

  /** @returns none when no records are left, or when the next batch must wait. */
  async function gather(): Promise<ReadableBatch[]> {
    const round: ReadableBatch[] = []
    for (let gathered = 0; gathered < recordsMax && !isDrained && !stopping(); ) {
      waiting ??= await poll()
      isDrained = waiting === null
      const batch = waiting
      if (!batch || round.some((each) => isSamePartition(each.batch, batch))) break
      waiting = null
      const { readable, unreadable } = readablePart(batch)
      round.push({ batch: { ...batch, records: readable }, unreadable, turn: turnOf(batch) })
      gathered += batch.records.length
      if (unreadable) break
    }
    return round
  }

  async function turnOf(next: Batch): Promise<boolean> {
    const inPartition = ({ batch }: ReadableBatch) => isSamePartition(batch, next)
    const before = underWay.findLast(({ round }) => round.some(inPartition))
    if (!before) return true
    const failed = await before.done.catch(() => null)
    const { batch, turn } = before.round.find(inPartition)!
    // Another assignment is read from where it was committed, whatever becomes of this one.
    if (batch.assignment !== next.assignment) return true
    return failed !== null && !isAmong(failed, batch.assignment) && turn
  }

  async function finishOldest(): Promise<void> {
    const failed = [...(await underWay[0]!.done)]
    underWay.shift()
    if (failed.length === 0) return
    // What follows a failed batch is read again with it, so reading must not begin at a later one.
    for (; underWay.length > 0; underWay.shift()) {
      const later = await underWay[0]!.done
      failed.push(...later.filter(({ batch }) => !isAmong(failed, batch.assignment)))
    }
    // The records before a waiting batch will be read again.
    if (waiting && isAmong(failed, waiting.assignment)) waiting = null
    isDrained = false
    await retry(failed)
  }

  try {
    for (;;) {
      const round = await gather()
      if (round.length > 0) begin(round)
      else if (underWay.length === 0) return records
      let most = ROUNDS_MAX - 1
      if (round.length === 0) most = underWay.length - 1
      // The commit pauses the partition of an unreadable record, which a poll before it would skip.
      else if (round.some(({ unreadable }) => unreadable)) most = 0
      while (underWay.length > most) await finishOldest()
    }
  } finally {
    await Promise.allSettled(underWay.map(({ done }) => done))
  }
}

const isSamePartition = (a: Batch, b: Batch) => a.topic === b.topic && a.partition === b.partition

const isAmong = (failed: readonly FailedBatch[], assignment: Assignment) =>
  failed.some(({ batch }) => batch.assignment === assignment)
