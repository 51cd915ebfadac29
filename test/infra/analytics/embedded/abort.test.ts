import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

it('a process that aborts ends at once, with the engine in it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-abort-'))
  const script = join(import.meta.dirname, 'aborting.child.ts')
  const child = spawn(process.execPath, [script, folder], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([null, 'SIGABRT'])
  await rm(folder, { recursive: true })
})
