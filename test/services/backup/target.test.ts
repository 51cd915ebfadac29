import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EngineCopy } from '../../../infra/backup/port.ts'
import { BackupRefused, takeBackup } from '../../../services/backup/backup.ts'
import { type BackupSource, createBackupSource } from '../../../services/backup/source.ts'

describe('the file that a backup is written to', () => {
  let folder: string
  let dataFolder: string
  let source: BackupSource
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backup-target-'))
    dataFolder = join(folder, 'data')
    await mkdir(join(dataFolder, 'log'), { recursive: true })
    await mkdir(join(dataFolder, 'frozen'))
    await writeFile(join(dataFolder, 'log/file'), 'the log')
    const copy: EngineCopy = {
      begin: async () => ({ path: 'log/file' }),
      take: async () => ({ writeAhead: { path: 'log/ahead', bytes: 0 }, analyticsFolder: 'frozen' }),
      logCopied: async () => {},
      end: async () => {},
    }
    source = createBackupSource(copy, dataFolder)
  })
  afterEach(() => rm(folder, { recursive: true }))

  const take = (file: string, of = source) =>
    takeBackup({ source: of, dataFolder, file: join(folder, file), now: () => 0 })

  it('appears under its name once it is complete', async () => {
    expect(await take('whole')).toBeGreaterThan(0)
    expect(existsSync(join(folder, 'whole'))).toBe(true)
    expect(existsSync(join(folder, 'whole.part'))).toBe(false)
    await expect(take('whole')).rejects.toThrow('already exists')
  })

  it.each(['data', 'data/backup', 'data/feeds/more'])(
    'cannot be in %s, where the program keeps its own',
    async (own) => {
      await mkdir(join(folder, own), { recursive: true })
      await writeFile(join(folder, own, 'earlier'), 'an earlier backup')
      await expect(take(join(own, 'later'))).rejects.toThrow(BackupRefused)
      expect(await readFile(join(folder, own, 'earlier'), 'utf8')).toBe('an earlier backup')
    },
  )

  it('cannot be in a folder that does not exist', async () => {
    const missing = take('missing/monday')
    await expect(missing).rejects.toThrow(BackupRefused)
    await expect(missing).rejects.toThrow(`${join(folder, 'missing')} cannot be written to: ENOENT`)
  })

  it('may be in a folder of its own next to those of the program', async () => {
    await mkdir(join(dataFolder, 'nightly'))
    expect(await take('data/nightly/monday')).toBeGreaterThan(0)
  })

  it('is left to the backup that writes it when another one for the same file cannot begin', async () => {
    await writeFile(join(folder, 'nightly.part'), 'written so far')
    const busy = { ...source, begin: () => Promise.reject(new Error('Another backup is already being taken')) }
    await expect(take('nightly', busy)).rejects.toThrow('already being taken')
    expect(await readFile(join(folder, 'nightly.part'), 'utf8')).toBe('written so far')
  })

  it('is removed when the backup fails', async () => {
    const failing = { ...source, logCopied: () => Promise.reject(new Error('the disk is full')) }
    await expect(take('failed', failing)).rejects.toThrow('the disk is full')
    expect(existsSync(join(folder, 'failed.part'))).toBe(false)
  })
})
