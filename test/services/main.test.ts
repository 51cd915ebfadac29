import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startProgram } from '../program.ts'
import { waitFor } from '../wait-for.ts'

it('keeps its files to its user, what an earlier version left open too, and serves no metrics beside the API', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'private-'))
  await mkdir(join(folder, 'log'), { mode: 0o755 })
  const program = await startProgram({ folder })
  const open: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const { mode } = await stat(path).catch(() => ({ mode: 0 }))
    if ((mode & 0o077) !== 0) open.push(`${path} ${(mode & 0o777).toString(8)}`)
  }
  expect(open).toEqual([])
  expect((await stat(join(folder, 'log/event-log.db'))).mode & 0o777).toBe(0o600)
  expect((await program.call('GET', '/metrics')).status).toBe(404)
  expect((await program.call('GET', '/metrics/')).status).toBe(404)
  expect(await program.metrics()).toContain('endcap_stream_lag_records')
  await program.stop()
})

it('leaves compiled code for the next start, also when it is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compiled-'))
  const program = await startProgram({ env: { NODE_COMPILE_CACHE: folder } })
  await waitFor(async () => (await readdir(folder, { recursive: true })).length > 100)
  await program.kill('SIGKILL')
  await program.stop()
  expect((await readdir(folder, { recursive: true })).length).toBeGreaterThan(100)
  await rm(folder, { recursive: true })
})
