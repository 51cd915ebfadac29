import type { EventLog, NewRecord } from '../../infra/event-log/port.ts'
import type { DeadLetter } from '../../schemas/records/records.ts'
import { type TopicName, topicNames } from '../../schemas/topics.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { chunksOf } from '../../services/domain/chunks.ts'
import { readPages } from './pages.ts'

/**
 * Reading and replaying `dead-letters`. Each replay appends a marker to the same topic, a record that names the letter as its
 * source, so the log alone tells which letters are left to replay.
 */
const MARKER_STREAM = 'replay'
const TOPIC = 'dead-letters'
const PARTITION = 0
/** Records per read. Each may have up to a megabyte. */
const PAGE_RECORDS = 500

export interface Letter {
  /** The offset of the letter in `dead-letters`. */
  offset: number
  letter: DeadLetter
  replayed: boolean
}

export interface LetterFilter {
  /** Only letters of records that this stream gave up on. */
  stream?: string
  /** Only letters whose record is from this topic. */
  topic?: TopicName
  /** Only letters at offsets [from, to) of `dead-letters`. */
  fromOffset?: number
  toOffset?: number
}

export interface ReplayOutcome {
  replayed: number
  /** Letters that matched, but had been replayed before. */
  skipped: number
  /** Letters that matched, but whose record is lost: it was too large to be kept in the letter and has left its topic. */
  gone: number
}

/** At most `limit` letters in the order of the log, and the offset where the next page begins; null when this is the last page. */
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
 * Appends the records of at most `limit` letters to their topics again. A letter that has a marker is skipped unless `again` is
 * set. All streams of the topic get the records, not only the one that gave up: readers count an event id once. After a failure,
 * call it again: the record of one letter may then be appended twice.
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
    // One after the other, because of an append that fails any part may be stored.
    await log.append([record])
    await log.append([markerOf(offset, letter, now())])
    outcome.replayed += 1
  }
  return outcome
}

/**
 * Returns a function that counts the letters that wait to be replayed. Markers do not count, nor do letters that have one. Each
 * call reads only what was appended to the topic since the previous call.
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
 * After a restore, markers name the offsets that letters had before it. This appends a marker with the present offset for each
 * letter that was replayed. A letter and its old marker are matched by the record that both name. May be repeated.
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
function isReplayMarker(letter: DeadLetter): boolean {
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

/** Every record that the topic holds at the time of the call. Records appended meanwhile, such as new markers, are left out. */
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

/** The original record. One that was too large for its letter is read from its topic; null when it is no longer there. */
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
