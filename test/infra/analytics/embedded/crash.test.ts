import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

it.each([
  { crash: 'that aborts', args: [], ending: 'SIGABRT' },
  { crash: 'that is told to abort', args: ['SIGABRT'], ending: 'SIGABRT' },
  { crash: 'that reads memory which is not its own', args: ['SIGSEGV'], ending: 'SIGSEGV' },
  { crash: 'whose file has become too short', args: ['SIGBUS'], ending: 'SIGBUS' },
  { crash: 'that meets a trap', args: ['SIGTRAP'], ending: 'SIGTRAP' },
])('a process $crash ends at once, with the engine in it', async ({ args, ending }) => {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-crash-'))
  const script = join(import.meta.dirname, 'crashing.child.ts')
  const child = spawn(process.execPath, [script, folder, ...args], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([null, ending])
  await rm(folder, { recursive: true })
})
