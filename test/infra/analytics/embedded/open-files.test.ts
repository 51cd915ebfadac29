import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const OPEN_FILES = 200

it('a store that may open no more files is unavailable, rejects no row, and goes on once it may', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'open-files-'))
  const script = join(import.meta.dirname, 'open-files.child.ts')
  const limited = ['-c', `ulimit -n ${OPEN_FILES}; exec "$0" "$@"`, process.execPath, script, folder]
  const { errors, inserted, stored } = JSON.parse((await run('bash', limited)).stdout)
  expect(errors).toEqual({ AnalyticsUnavailable: expect.stringContaining('Too many open files') })
  expect(stored).toBe(inserted)
  await rm(folder, { recursive: true })
})
