import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

it.each([
  { ends: 'by an error that nothing catches', args: [], code: 1 },
  { ends: 'by process.exit', args: ['7'], code: 7 },
])('a process that ends $ends keeps its exit code while the engine runs', async ({ args, code }) => {
  const folder = mkdtempSync(join(tmpdir(), 'analytics-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const child = fork(join(import.meta.dirname, 'exit.child.ts'), [folder, ...args], { stdio: 'ignore' })
  expect(await once(child, 'exit')).toEqual([code, null])
})
