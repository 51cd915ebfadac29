import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import { createSlices } from '../../../infra/threads/slices.ts'
import type { ImportAnswer } from '../../../schemas/http/panel/shops/import.ts'
import { ERRORS_LISTED_MAX, Problem } from '../../domain/errors.ts'
import { type EntryParser, Exceeded } from './entries.ts'
import type { ImportRules, Read } from './rules.ts'

const GB = 1024 * 1024 * 1024
const KB = 1024
/** Records of one append. */
const BATCH_RECORDS = 1_000

export interface ImportLimits {
  bytesMax: number
  linesMax: number
  lineMaxBytes: number
}
export const IMPORT_LIMITS: ImportLimits = { bytesMax: GB, linesMax: 1_000_000, lineMaxBytes: 512 * KB }

/** A kind of import: how a body is split into entries, and how each entry is read. */
export interface ImportOf {
  entries: EntryParser
  read: (value: unknown, rules: ImportRules) => Read
}

/**
 * Reads entries one by one and appends the valid ones to the log, even if others are not. Holds one batch at a time.
 * @throws Problem TOO_LARGE over a limit, UNAVAILABLE when the log does not take a batch. The lines before that batch are
 * stored then; they may be sent again, because readers count an id once.
 */
export async function importEntries(
  log: Pick<EventLog, 'append'>,
  body: AsyncIterable<Buffer>,
  { entries, read, rules, limits }: ImportOf & { rules: ImportRules; limits: ImportLimits },
): Promise<ImportAnswer> {
  const answer: ImportAnswer = { accepted: 0, rejected: 0, errors: [] }
  let batch: NewRecord[] = []
  let count = 0

  async function store(): Promise<void> {
    try {
      await log.append(batch)
    } catch (cause) {
      throw new Problem('UNAVAILABLE', `The event log is unavailable. ${stored(answer)}`, { cause })
    }
    answer.accepted += batch.length
    batch = []
  }

  const slices = createSlices()
  try {
    for await (const entry of entries(bounded(body, limits.bytesMax), limits)) {
      if (++count > limits.linesMax) throw new Exceeded(`${limits.linesMax} lines`)
      const result = 'wrong' in entry ? unreadable(entry.wrong) : read(entry.value, rules)
      if (result.tag === 'TAKEN') batch.push(result.record)
      else {
        answer.rejected++
        for (const error of result.errors) {
          if (answer.errors.length < ERRORS_LISTED_MAX) answer.errors.push({ line: entry.number, ...error })
        }
      }
      if (batch.length >= BATCH_RECORDS) await store()
      if (slices.isOver()) await slices.next()
    }
  } catch (error) {
    if (!(error instanceof Exceeded)) throw error
    if (batch.length > 0) await store()
    throw new Problem(
      'TOO_LARGE',
      `An import can have at most ${error.message}. ${stored(answer)} Send the rest in another import.`,
    )
  }
  if (batch.length > 0) await store()
  return answer
}

async function* bounded(body: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Exceeded(`${bytesMax} bytes`)
    yield chunk
  }
}

function unreadable(message: string): Read {
  return { tag: 'REFUSED', errors: [{ path: '/', message }] }
}

function stored({ accepted, rejected }: ImportAnswer): string {
  return `${accepted} lines were stored and ${rejected} were rejected. Lines that are sent again count once.`
}
