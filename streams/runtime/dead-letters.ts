import type { EventLog, NewRecord } from '../../infra/event-log/port.ts'
import type { DeadLetter } from '../../schemas/records/records.ts'
import { type TopicName, topicNames } from '../../schemas/topics.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { chunksOf } from '../../services/domain/chunks.ts'
import { readPages } from './pages.ts'

/**
 * Reading and replaying `dead-letters`. That a letter was replayed is itself a record of the topic, a marker, which
 * names the letter as its source: so the log alone tells what is left to do.
 */
const MARKER_STREAM = 'replay'
const TOPIC = 'dead-letters'
const PARTITION = 0
/** Of up to a megabyte each. */
const PAGE_RECORDS = 500

export interface Letter {
  /** In `dead-letters`. */
  offset: number
  letter: DeadLetter
  replayed: boolean
}

export interface LetterFilter {
  /** Only those that this stream gave up on. */
  stream?: string
  /** Only those whose record lies in this topic. */
  topic?: TopicName
  /** Only those at [from, to) of `dead-letters`. */
  fromOffset?: number
  toOffset?: number
}

export interface ReplayOutcome {
  replayed: number
  /** Matched, but had been replayed before. */
  skipped: number
  /** Matched, but too large to have been kept in the letter, and their topic does not hold them any more. */
  gone: number
}

/** At most `limit` letters in their order, and where the next page begins; null: this was the last. */
export async function listDeadLetters(
  log: EventLog,
  filter: LetterFilter & { limit: number },
): Promise<{ letters: Letter[]; nextOffset: number | null }> {
  const replayed = await replayedOffsets(log)
  const letters: Letter[] = []
  for await (const { offset, letter } of lettersOf(log, filter)) {
    if (letters.length === filter.limit) return { letters, nextOffset: offset }
    letters.push({ offset, letter, replayed: replayed.has(offset) })
  }
  return { letters, nextOffset: null }
}

/**
 * Appends the records of at most `limit` letters to their topics again, each once in the life of its letter unless
 * `again` is set. All streams of the topic get them, not only the one that gave up: readers count an event id once.
 * @param now UTC epoch milliseconds.
 */
export async function replayDeadLetters(
  log: EventLog,
  filter: LetterFilter & { limit: number; again?: boolean },
  now: () => number,
): Promise<ReplayOutcome> {
  const replayed = await replayedOffsets(log)
  const outcome: ReplayOutcome = { replayed: 0, skipped: 0, gone: 0 }
  for await (const { offset, letter } of lettersOf(log, filter)) {
    if (outcome.replayed === filter.limit) break
    if (replayed.has(offset) && !filter.again) {
      outcome.skipped += 1
      continue
    }
    const record = await recordOf(log, letter)
    if (!record) {
      outcome.gone += 1
      continue
    }
    await log.append([record, markerOf(offset, letter, now())])
    outcome.replayed += 1
  }
  return outcome
}

/**
 * How many letters wait to be replayed: markers, and letters that have one, do not count. Each call of what it returns
 * reads only what the topic got since the call before.
 */
export function deadLettersWaiting(log: EventLog): () => Promise<number> {
  const markers = new Set<number>()
  const replayed = new Set<number>()
  let readTo = 0
  return async () => {
    for await (const { offset, letter } of everyLetter(log, readTo)) {
      readTo = Math.max(readTo, offset + 1)
      if (!isReplayMarker(letter)) continue
      markers.add(offset)
      replayed.add(letter.offset)
    }
    const { start } = (await log.bounds(TOPIC))[PARTITION]!
    const held = await log.count(TOPIC, PARTITION, start, readTo)
    const isHeld = (offset: number) => offset >= start
    return held - [...markers].filter(isHeld).length - [...replayed].filter(isHeld).length
  }
}

/**
 * After a restore the markers name offsets of before. Gives each letter that was replayed a marker that names where it lies
 * now: letter and marker name the same record. May be repeated.
 */
export async function renewReplayMarkers(log: EventLog, now: () => number): Promise<void> {
  const replayed = new Set<string>()
  for await (const { letter } of everyLetter(log, 0)) if (isReplayMarker(letter)) replayed.add(letter.message)
  const marked = await replayedOffsets(log)
  const markers: NewRecord[] = []
  for await (const { offset, letter } of lettersOf(log, {})) {
    if (replayed.has(recordPlace(letter)) && !marked.has(offset)) markers.push(markerOf(offset, letter, now()))
  }
  for (const some of chunksOf(markers, PAGE_RECORDS)) await log.append(some)
}

/** True for a record of `dead-letters` that only says that a letter was replayed. */
export function isReplayMarker(letter: DeadLetter): boolean {
  return letter.stream === MARKER_STREAM && letter.topic === TOPIC
}

async function* lettersOf(log: EventLog, filter: LetterFilter): AsyncGenerator<{ offset: number; letter: DeadLetter }> {
  for await (const { offset, letter } of everyLetter(log, filter.fromOffset ?? 0)) {
    if (offset >= (filter.toOffset ?? Number.POSITIVE_INFINITY)) return
    if (isReplayMarker(letter)) continue
    if (filter.stream !== undefined && letter.stream !== filter.stream) continue
    if (filter.topic !== undefined && letter.topic !== filter.topic) continue
    yield { offset, letter }
  }
}

/** What the topic holds at the call, without what is appended meanwhile, such as markers. */
async function* everyLetter(log: EventLog, from: number): AsyncGenerator<{ offset: number; letter: DeadLetter }> {
  const { end } = (await log.bounds(TOPIC))[PARTITION]!
  for await (const records of readPages(log, TOPIC, PARTITION, { from, to: end, pageRecords: PAGE_RECORDS })) {
    for (const { offset, value } of records) if (value !== null) yield { offset, letter: decode('DeadLetter', value) }
  }
}

async function replayedOffsets(log: EventLog): Promise<Set<number>> {
  const offsets = new Set<number>()
  for await (const { letter } of everyLetter(log, 0)) if (isReplayMarker(letter)) offsets.add(letter.offset)
  return offsets
}

/** The record as it was. One too large for its letter is read where it lay; null when it is not there any more. */
async function recordOf(log: EventLog, letter: DeadLetter): Promise<NewRecord | null> {
  const topic = topicNames.find((name) => name === letter.topic)
  if (!topic) return null
  if (letter.value !== null) return { topic, key: letter.key, value: letter.value }
  const [original] = await log.read(topic, letter.partition, letter.offset, 1)
  if (original?.offset !== letter.offset) return null
  return { topic, key: original.key, value: original.value }
}

const recordPlace = ({ topic, partition, offset }: DeadLetter) => `${topic}/${partition}/${offset}`

function markerOf(offset: number, letter: DeadLetter, now: number): NewRecord {
  const marker = encode('DeadLetter', {
    stream: MARKER_STREAM,
    topic: TOPIC,
    partition: PARTITION,
    offset,
    key: null,
    value: null,
    code: 'REPLAYED',
    message: recordPlace(letter),
    failedAt: now,
  })
  return { topic: TOPIC, key: `${TOPIC}/${PARTITION}/${offset}`, value: marker }
}
