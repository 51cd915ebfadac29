import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TopicName, topicNames, topics } from '../../../schemas/topics.ts'
import { OperatorError } from '../../../services/domain/errors.ts'
import { LogUnavailable } from '../port.ts'

/** Pages of the write-ahead log in one checkpoint: 8 MB, which take about ten milliseconds to move. */
export const CHECKPOINT_PAGES = 1_000
const PAGE_BYTES = 8_192

/** Files in the log's folder. */
export const DATABASE_FILE = 'event-log.db'
export const WRITE_AHEAD_FILE = `${DATABASE_FILE}-wal`

/**
 * Opens the log's database file and locks it for this process; the lock ends with the process.
 * Every commit is on disk when it returns (synchronous=FULL). Deleted and replaced content is overwritten in the file
 * (secure_delete).
 * @throws when another process, or another log of this process, has the folder open.
 */
export function openDatabase(folder: string): DatabaseSync {
  mkdirSync(folder, { recursive: true })
  const database = new DatabaseSync(join(folder, DATABASE_FILE), { timeout: 0 })
  try {
    database.exec(`
      PRAGMA page_size = ${PAGE_BYTES};
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      BEGIN EXCLUSIVE; COMMIT;`)
  } catch (error) {
    database.close()
    const locked = (error as { errcode?: number }).errcode === SQLITE_BUSY
    throw locked
      ? new OperatorError(`DATA_DIR: the event log in ${folder} is in use by another process: stop that one first`)
      : error
  }
  database.exec(readFileSync(new URL('./schema.sql', import.meta.url), 'utf8'))
  return database
}

const SQLITE_BUSY = 5

/**
 * Moves everything from the write-ahead file into the database file, and cuts the former. Afterwards, neither holds content that was
 * deleted or replaced before. @throws LogUnavailable when the disk is full, or the database file is being read.
 */
export function cutWriteAhead(database: DatabaseSync): void {
  try {
    const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
    if (busy !== 0) throw new Error('its file is being read')
  } catch (error) {
    throw new LogUnavailable(`The write-ahead file of the log could not be cut: ${(error as Error).message}`)
  }
}

/** One partition as the worker knows it. */
export interface Partition {
  readonly id: number
  readonly topic: TopicName
  readonly partition: number
  readonly compacted: boolean
  /** Offset of the next record. */
  end: number
  /** Offset of the next record within the open transaction. */
  pendingEnd: number
}

export type Partitions = Readonly<Record<TopicName, readonly Partition[]>>

/** The partitions of every topic. Creates missing ones. */
export function loadPartitions(database: DatabaseSync): Partitions {
  const add = database.prepare('INSERT OR IGNORE INTO partitions (topic, partition) VALUES (?, ?)')
  const select = database.prepare('SELECT id, next_offset AS end FROM partitions WHERE topic = ? AND partition = ?')
  const load = (topic: TopicName, partition: number): Partition => {
    add.run(topic, partition)
    const row = select.get(topic, partition) as { id: number; end: number }
    return { ...row, topic, partition, compacted: topics[topic].kind === 'compacted', pendingEnd: row.end }
  }
  database.exec('BEGIN')
  const loaded = topicNames.map((topic) => [
    topic,
    Array.from({ length: topics[topic].partitions }, (_, partition) => load(topic, partition)),
  ])
  database.exec('COMMIT')
  return Object.fromEntries(loaded)
}
