import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CountersUnavailable } from '../../infra/counters/port.ts'
import { connectionMeaning, notWritten } from '../../infra/engine-unavailable.ts'

const meaningOf = (message: string) => connectionMeaning(message, 'ClickHouse', 'CLICKHOUSE_URL')

it.each([
  [
    'write EPROTO 40:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl:77:\n\n',
    'the server does not speak TLS on this port: check CLICKHOUSE_URL',
  ],
  [
    'socket hang up',
    'the server has closed the connection; if it always does, it expects TLS or is not ClickHouse: check CLICKHOUSE_URL',
  ],
  ['<h1>Welcome</h1>', 'the server is not ClickHouse: check CLICKHOUSE_URL. It answers: <h1>Welcome</h1>'],
  ['{"error":1}', 'the server is not ClickHouse: check CLICKHOUSE_URL. It answers: {"error":1}'],
  ['connect ECONNREFUSED 127.0.0.1:1', 'connect ECONNREFUSED 127.0.0.1:1'],
])('says what the error %j of a connection means', (message, meaning) => {
  expect(meaningOf(message)).toBe(meaning)
})

it.each(['<p>', ''])('repeats only the beginning of a long answer that begins with "%s"', (beginning) => {
  const meaning = meaningOf(beginning + 'x'.repeat(100_000))
  expect(meaning).toContain(`${beginning}xxx`)
  expect(meaning.length).toBeLessThan(400)
})

describe('an error of SQLite', () => {
  let folder: string
  let file: string
  let db: DatabaseSync
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sqlite-errors-'))
    file = join(folder, 'a.db')
    db = new DatabaseSync(file, { timeout: 0 })
    db.exec('CREATE TABLE numbers (number INTEGER UNIQUE, text TEXT)')
  })
  afterEach(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })

  const errorOf = (sql: string): Error => {
    try {
      db.exec(sql)
    } catch (error) {
      return notWritten(error as Error, 'The counters', CountersUnavailable)
    }
    throw new Error(`${sql} does not fail`)
  }

  it('means that the engine is unavailable while another connection holds the file', () => {
    const other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    const error = errorOf('INSERT INTO numbers VALUES (1, null)')
    other.close()
    expect(error).toEqual(new CountersUnavailable('The counters could not be written: database is locked'))
  })

  it('means that the engine is unavailable while the disk is full', () => {
    db.exec('PRAGMA max_page_count = 4')
    expect(errorOf("INSERT INTO numbers VALUES (1, printf('%100000s', ''))")).toEqual(
      new CountersUnavailable('The counters could not be written: database or disk is full'),
    )
  })

  it('means that the engine is unavailable while a file cannot be opened, as when too many are open', () => {
    expect(errorOf(`ATTACH '${join(folder, 'no-such-folder', 'b.db')}' AS other`)).toBeInstanceOf(CountersUnavailable)
  })

  it('means that the engine is unavailable while the disk cannot be read', () => {
    // An extended code: SQLITE_IOERR_SHORT_READ is 522.
    const error = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 522 })
    expect(notWritten(error, 'The counters', CountersUnavailable)).toBeInstanceOf(CountersUnavailable)
  })

  it.each([
    ['a broken rule of the table', 'INSERT INTO numbers VALUES (1, null), (1, null)', 'UNIQUE constraint failed'],
    ['a wrong statement', 'INSERT INTO letters VALUES (1)', 'no such table'],
  ])('is the error itself for %s, which trying again does not help', (_, sql, message) => {
    const error = errorOf(sql)
    expect(error).not.toBeInstanceOf(CountersUnavailable)
    expect(error.message).toContain(message)
  })

  it('is the error itself for a damaged file', () => {
    db.close()
    writeFileSync(file, Buffer.alloc(8_192, 'no database'))
    db = new DatabaseSync(file)
    expect(errorOf('INSERT INTO numbers VALUES (1, null)').message).toBe('file is not a database')
  })
})
