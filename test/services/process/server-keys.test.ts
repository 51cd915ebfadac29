import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadOrCreateServerKeys } from '../../../services/process/server-keys.ts'

const run = promisify(execFile)
const MODULE = join(import.meta.dirname, '../../../services/process/server-keys.ts')
const SCRIPT = `import('${MODULE}').then(({ loadOrCreateServerKeys }) => loadOrCreateServerKeys(process.argv[1], require('crypto').randomBytes))`

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keys-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('a key is made once, for its owner only', async () => {
  const file = join(folder, 'keys')
  const [made] = loadOrCreateServerKeys(file, randomBytes)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(loadOrCreateServerKeys(file, randomBytes)).toEqual([made])
})

it('a start that could not write its key, as on a full disk, does not keep the next one from starting', async () => {
  const file = join(folder, 'keys')
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  // No file may grow, so that every write fails.
  const limited = ['-c', 'ulimit -f 0; exec "$0" -e "$1" "$2"', process.execPath, SCRIPT, file]
  await expect(run('bash', limited, { env })).rejects.toThrow()
  expect(loadOrCreateServerKeys(file, randomBytes)).toHaveLength(1)
})
