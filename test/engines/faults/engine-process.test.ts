import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { signalEngine } from '../engine-process.ts'

describe('a signal for an engine', () => {
  let folder: string
  let child: ChildProcess
  let ended: Promise<NodeJS.Signals | null>
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'engine-process-'))
    child = spawn('sleep', ['600'])
    ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
  })
  afterEach(async () => {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true })
  })

  const startOfChild = async () => (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(' ')[21]!
  const note = (startedAt: string) => writeFile(join(folder, 'process'), `${child.pid} ${startedAt}\n`)

  it('reaches the process that was started for it', async () => {
    await note(await startOfChild())
    await signalEngine(folder, 'SIGKILL')
    expect(await ended).toBe('SIGKILL')
  })

  it('does not reach a later process that was given the same id', async () => {
    await note(String(Number(await startOfChild()) - 1))
    await expect(signalEngine(folder, 'SIGKILL')).rejects.toThrow('has ended')
    child.kill('SIGTERM')
    expect(await ended).toBe('SIGTERM')
  })
})
