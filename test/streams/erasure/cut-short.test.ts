import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { packAppends, unpackRecords } from '../../../infra/event-log/embedded/frame.ts'
import { openLogStore } from '../../../infra/event-log/embedded/store.ts'
import { type EventLog, recordBytes } from '../../../infra/event-log/port.ts'
import { personalTopics } from '../../../schemas/topics.ts'
import { Erasures, isActive } from '../../../services/domain/erasure/erasures.ts'
import { endsOfLog, LogSweep } from '../../../streams/erasure/log-sweep.ts'
import { HOUR } from '../attribution/events.ts'
import { findableTexts } from './findable.ts'
import { erasureOf, lifeOf } from './people.ts'

/** The log's records are replaced, but the disk is full when the write-ahead file is to be cut, which still holds the old bytes. */

const NOW = Date.UTC(2026, 5, 15)
const CID = findableTexts('browser')[0]!
const erasures = new Erasures()
const person = erasureOf('CID', CID, { requestedAt: NOW })
erasures.put(person)
const people = [person].filter(isActive)

let root: string
let close: () => Promise<void>
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'erasure-cut-short-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await close()
  rmSync(root, { recursive: true })
})

/** A log in this thread, whose disk can be full. */
function open(folder: string): EventLog {
  const store = openLogStore({ folder, now: () => NOW })
  close = () => store.close()
  const connection = store.connect()
  const unused = () => Promise.reject(new Error('not part of this log'))
  return {
    append: async (records) => {
      await connection.append(
        packAppends(
          records,
          records.reduce((sum, record) => sum + recordBytes(record), 0),
        ),
      )
      return []
    },
    bounds: async (topic) => connection.bounds(topic),
    read: async (topic, partition, from, max) =>
      unpackRecords(connection.read(topic, partition, from, max), topic, partition),
    async replace(topic, partition, records) {
      await connection.replace(topic, partition, records)
      return true
    },
    committed: async (group) => connection.committed(group),
    reset: (group, commits) => connection.reset(group, commits),
    ...{ consumer: unused, tail: unused, exclusiveWriter: unused, settled: unused, count: unused, close: unused },
  }
}

const filesWithPerson = (folder: string) =>
  readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(CID))

/** Fills the disk, as far as cutting the write-ahead file is concerned, until mocks are restored. */
function fillDisk(): void {
  for (const name of ['exec', 'prepare'] as const) {
    const original = DatabaseSync.prototype[name] as (sql: string) => never
    vi.spyOn(DatabaseSync.prototype, name).mockImplementation(function (this: DatabaseSync, sql: string) {
      if (sql.includes('wal_checkpoint')) throw new Error('database or disk is full')
      return original.call(this, sql)
    })
  }
}

/** Searches a new log on a disk that is full once the records are replaced. */
async function cutShort(folder: string): Promise<{ log: EventLog; sweep: LogSweep }> {
  const log = open(folder)
  await log.append(lifeOf({ cid: CID, uid: 'login', at: NOW - 2 * HOUR }))
  const sweep = await LogSweep.resume(log, erasures, people)
  fillDisk()
  const ends = await endsOfLog(log)
  // Each try replaces what a page still names.
  for (let tries = 0; tries < 2 * personalTopics.length; tries++) {
    await expect(sweep.advance(ends), `try ${tries}`).rejects.toThrow('full')
  }
  vi.restoreAllMocks()
  expect(filesWithPerson(folder)).not.toEqual([])
  return { log, sweep }
}

it('nobody is taken for erased while a file of the log names them', async () => {
  const folder = join(root, 'log')
  const { log, sweep } = await cutShort(folder)
  expect(await sweep.advance(await endsOfLog(log))).toBe(true)
  expect(filesWithPerson(folder)).toEqual([])
})

it('nor after a kill at that moment', async () => {
  await cutShort(join(root, 'log'))
  const left = join(root, 'left')
  cpSync(join(root, 'log'), left, { recursive: true })
  await close()
  const log = open(left)
  const sweep = await LogSweep.resume(log, erasures, people)
  expect(await sweep.advance(await endsOfLog(log))).toBe(true)
  expect(filesWithPerson(left)).toEqual([])
})
