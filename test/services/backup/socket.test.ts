import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectBackupSource, SOCKET_FILE, serveBackups } from '../../../services/backup/socket.ts'
import type { BackupSource } from '../../../services/backup/source.ts'
import { waitFor } from '../../wait-for.ts'

describe('the socket that a backup is taken through', () => {
  let folder: string
  let server: NonNullable<Awaited<ReturnType<typeof serveBackups>>>
  let calls: string[]
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backup-socket-'))
    calls = []
    const called = async <T>(step: string, value: T) => {
      calls.push(step)
      return value
    }
    const source: BackupSource = {
      begin: () => called('begin', { path: 'log/file' }),
      take: () =>
        called('take', { writeAhead: { path: 'log/ahead', bytes: 7 }, analyticsFolder: 'analytics', feedsFolder: 'f' }),
      logCopied: () => Promise.reject(new Error('the disk is full')),
      end: () => called('end', undefined),
    }
    server = (await serveBackups(source, folder))!
  })
  afterEach(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })

  it('is open to its owner only, and gone when nobody serves', async () => {
    expect((await stat(join(folder, SOCKET_FILE))).mode & 0o777).toBe(0o600)
    await server.close()
    expect(await connectBackupSource(folder)).toBeNull()
    server = (await serveBackups({} as BackupSource, folder))!
  })

  it('is not there when the path of the folder is too long for one, which ends nothing', async () => {
    const long = join(folder, 'a'.repeat(100))
    expect(await serveBackups({} as BackupSource, long)).toBeNull()
    expect(await connectBackupSource(long)).toBeNull()
  })

  it('passes steps, answers and errors', async () => {
    const source = (await connectBackupSource(folder))!
    expect(await source.begin()).toEqual({ path: 'log/file' })
    expect((await source.take()).writeAhead).toEqual({ path: 'log/ahead', bytes: 7 })
    await expect(source.logCopied()).rejects.toThrow('the disk is full')
    await source.end()
    expect(calls).toEqual(['begin', 'take', 'end'])
  })

  it('serves one backup at a time, and ends it for whoever goes away', async () => {
    const first = (await connectBackupSource(folder))!
    const second = (await connectBackupSource(folder))!
    await expect(second.take()).rejects.toThrow('No backup has begun')
    await first.begin()
    await expect(second.begin()).rejects.toThrow('already being taken')
    await second.end().catch(() => {})
    expect(calls).toEqual(['begin'])
    await first.end()
    await waitFor(() => calls.length >= 2)
    const third = (await connectBackupSource(folder))!
    await third.begin()
    const ended = third.take().then(() => third.take())
    await server.close()
    await expect(ended).rejects.toThrow('stopped while')
    expect(calls.at(-1)).toBe('end')
    server = (await serveBackups({} as BackupSource, folder))!
  })
})
