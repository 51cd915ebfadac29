import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ArchiveEntry,
  type ArchiveWriter,
  BACKUP_FORMAT,
  BackupUnreadable,
  readArchive,
  writeArchive,
} from '../../../services/backup/archive.ts'
import { takeBackup } from '../../../services/backup/backup.ts'
import { RestoreRefused, restoreBackup } from '../../../services/backup/restore.ts'
import type { BackupSource } from '../../../services/backup/source.ts'

const HEAD = { format: BACKUP_FORMAT, takenAt: '2026-01-01T00:00:00.000Z' }
const CONTENT = Array.from({ length: 20_000 }, (_, number) => `line ${number ** 3}`).join('\n')

describe('a backup file', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backup-archive-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const file = (archive: ArchiveWriter, name: string, content: string) =>
    archive.file(name, Buffer.byteLength(content), Readable.from([Buffer.from(content)]))

  async function written(name: string, head = HEAD): Promise<string> {
    const path = join(folder, name)
    await writeArchive(path, head, async (archive) => {
      await file(archive, 'log/event-log.db', CONTENT)
      await archive.link('data/table', '../log')
      await file(archive, 'empty', '')
    })
    return path
  }

  const drain = async ({ content }: ArchiveEntry) => void (await text(content))
  const target = (name: string) => ({ dataFolder: join(folder, name), prepare: async () => {} })

  it('gives back what was written', async () => {
    const path = await written('whole')
    const found: [string, string | null, string][] = []
    const head = await readArchive(path, async ({ name, linkTarget, content }) => {
      found.push([name, linkTarget, await text(content)])
    })
    expect(head).toEqual(HEAD)
    expect(found[0]!.at(-1) === CONTENT).toBe(true)
    expect(found.slice(1)).toEqual([
      ['data/table', '../log', ''],
      ['empty', null, ''],
    ])
  })

  it('is refused, and nothing is written, wherever it is cut off', async () => {
    const whole = await readFile(await written('to-cut'))
    for (const share of [0, 0.01, 0.3, 0.9, 0.99, 0.999]) {
      const path = join(folder, `cut-${share}`)
      await writeFile(path, whole)
      await truncate(path, Math.floor(whole.length * share))
      const into = target(`of-cut-${share}`)
      await expect(restoreBackup({ file: path, ...into })).rejects.toThrow(BackupUnreadable)
      await expect(readFile(into.dataFolder)).rejects.toThrow('ENOENT')
    }
  })

  it('is refused when a byte has changed, wherever that is', async () => {
    const whole = await readFile(await written('to-damage'))
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 40)) {
      const path = join(folder, 'damaged')
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 0x10
      await writeFile(path, damaged)
      await expect(readArchive(path, drain)).rejects.toThrow(BackupUnreadable)
    }
  })

  it('is refused when a checksum does not fit, or its end is missing, though it unpacks', async () => {
    const withSums = async (sums: string | null) => {
      const of = pack()
      of.entry({ name: 'endcap-backup.json' }, JSON.stringify(HEAD))
      of.entry({ name: 'keys' }, 'secret')
      if (sums !== null) of.entry({ name: 'endcap-backup.sha256' }, sums)
      of.finalize()
      const path = join(folder, 'by-hand')
      await writeFile(path, zstdCompressSync(Buffer.concat((await Array.fromAsync(of)) as Buffer[])))
      return readArchive(path, drain)
    }
    await expect(withSums(`${'0'.repeat(64)}  keys\n`)).rejects.toThrow('a checksum is wrong')
    await expect(withSums(null)).rejects.toThrow('incomplete')
  })

  it('is refused when it is of another format, or no backup at all', async () => {
    const newer = await written('newer', { ...HEAD, format: BACKUP_FORMAT + 1 })
    await expect(readArchive(newer, drain)).rejects.toThrow(/format 2, but this version reads format 1/)
    const other = join(folder, 'other')
    await writeFile(other, 'what is this')
    await expect(readArchive(other, drain)).rejects.toThrow(BackupUnreadable)
  })

  it('is refused by name when it cannot be read', async () => {
    const missing = join(folder, 'missing')
    await expect(readArchive(missing, drain)).rejects.toThrow(BackupUnreadable)
    await expect(readArchive(missing, drain)).rejects.toThrow(`${missing} cannot be read: ENOENT`)
    await expect(readArchive(folder, drain)).rejects.toThrow(`${folder} cannot be read: EISDIR`)
  })

  it('fills only an empty folder, which no program may use until it is full', async () => {
    const path = await written('to-restore')
    const { dataFolder } = target('restored')
    let marked = false
    const prepare = async () => {
      marked = (await readFile(join(dataFolder, 'restore-unfinished'), 'utf8')) === ''
    }
    await restoreBackup({ file: path, dataFolder, prepare })
    expect(marked).toBe(true)
    expect((await readFile(join(dataFolder, 'data/table/event-log.db'), 'utf8')) === CONTENT).toBe(true)
    await expect(restoreBackup({ file: path, dataFolder, prepare })).rejects.toThrow(RestoreRefused)

    const cutOff = target('cut-off').dataFolder
    const failing = async () => {
      throw new Error('the disk has died')
    }
    await expect(restoreBackup({ file: path, dataFolder: cutOff, prepare: failing })).rejects.toThrow('has died')
    await expect(restoreBackup({ file: path, dataFolder: cutOff, prepare })).rejects.toThrow(
      'a restore that did not end',
    )
  })

  it('appears under its name only when it is complete', async () => {
    const dataFolder = join(folder, 'source')
    await mkdir(join(dataFolder, 'log'), { recursive: true })
    await mkdir(join(dataFolder, 'frozen/store'), { recursive: true })
    await mkdir(join(dataFolder, 'kept'))
    await writeFile(join(dataFolder, 'log/db'), CONTENT)
    await writeFile(join(dataFolder, 'log/ahead'), 'belongs to it, and this does not')
    await writeFile(join(dataFolder, 'frozen/store/part'), 'rows')
    await writeFile(join(dataFolder, 'keys'), 'secret')
    const source: BackupSource = {
      begin: async () => ({ path: 'log/db' }),
      take: async () => ({
        writeAhead: { path: 'log/ahead', bytes: 13 },
        analyticsFolder: 'frozen',
        feedsFolder: 'kept',
      }),
      logCopied: async () => {},
      end: async () => {},
    }
    const options = { source, dataFolder, file: join(folder, 'taken'), now: () => 0 }
    const steps: (keyof BackupSource)[] = ['begin', 'take', 'logCopied', 'end']
    for (const step of steps) {
      const fails = async () => {
        throw new Error(`${step} failed`)
      }
      await expect(takeBackup({ ...options, source: { ...source, [step]: fails } })).rejects.toThrow(`${step} failed`)
      expect((await readdir(folder)).filter((name) => name.startsWith('taken'))).toEqual([])
    }
    await takeBackup(options)
    const found: string[] = []
    await readArchive(options.file, async ({ name, content }) => {
      const given = await text(content)
      found.push(given === CONTENT ? name : `${name}: ${given}`)
    })
    expect(found).toEqual(['log/db', 'log/ahead: belongs to it', 'analytics/store/part: rows', 'keys: secret'])
    await expect(takeBackup(options)).rejects.toThrow('already exists')
  })

  it('cannot write outside of the folder', async () => {
    for (const [name, link] of [
      ['../outside', null],
      ['log/../../outside', null],
      ['link', '../../outside'],
    ] as const) {
      const path = join(folder, 'escaping')
      await writeArchive(path, HEAD, async (archive) => {
        await (link === null ? file(archive, name, 'x') : archive.link(name, link))
      })
      const into = target(`escape-${name.length}`)
      await expect(restoreBackup({ file: path, ...into })).rejects.toThrow('outside of the data folder')
    }
  })
})
