import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startProgram } from '../program.ts'
import { waitFor } from '../wait-for.ts'

it('leaves compiled code for the next start, also when it is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compiled-'))
  const program = await startProgram({ env: { NODE_COMPILE_CACHE: folder } })
  await waitFor(async () => (await readdir(folder, { recursive: true })).length > 100)
  await program.kill('SIGKILL')
  await program.stop()
  expect((await readdir(folder, { recursive: true })).length).toBeGreaterThan(100)
  await rm(folder, { recursive: true })
})
