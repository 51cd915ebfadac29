import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../infra/event-log/embedded/event-log.ts'

const run = promisify(execFile)
const COMMAND = join(import.meta.dirname, '../../services/rebuild.ts')

it.each([
  ['a table without its engine', { TABLE: 'transactions' }, 'TABLE needs ENGINE=clickhouse'],
  ['a table of another engine', { ENGINE: 'redis', TABLE: 'transactions' }, 'TABLE needs ENGINE=clickhouse'],
  ['a table that the sink does not fill', { ENGINE: 'clickhouse', TABLE: 'touches' }, 'TABLE must be one of '],
  ['a replacement of everything', { REPLACE: 'yes' }, 'REPLACE needs ENGINE=elasticsearch or ENGINE=clickhouse'],
  [
    'a table of a cluster',
    { ENGINE: 'clickhouse', CLICKHOUSE_URL: 'http://127.0.0.1:1', CLICKHOUSE_CLUSTER: 'main' },
    'ENGINE=clickhouse works only with a single server',
  ],
  ['a setting without effect', { CLICKHOUSE_CLUSTER: 'main' }, 'CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL'],
  ['a replacement by another word', { ENGINE: 'clickhouse', REPLACE: 'true' }, 'REPLACE must be yes, or left out'],
])('refuses %s, and opens no engine', async (_, order, message) => {
  const folder = await mkdtemp(join(tmpdir(), 'rebuild-refused-'))
  const dataFolder = join(folder, 'data')
  const refused = run(process.execPath, [COMMAND], { env: { ...process.env, DATA_DIR: dataFolder, ...order } })
  await expect(refused).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(`^${message}`) })
  await expect(readdir(dataFolder)).rejects.toThrow('ENOENT')
  await rm(folder, { recursive: true })
})

it('a second rebuild of an embedded index is refused, and leaves alone what the first one has filled', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'rebuild-twice-'))
  const log = await openEmbeddedEventLog({ folder: join(dataFolder, 'log') })
  const next = join(dataFolder, 'index/next')
  await mkdir(next, { recursive: true })
  await writeFile(join(next, 'offers'), 'filled so far')

  const env = { ...process.env, DATA_DIR: dataFolder, ENGINE: 'elasticsearch' }
  await expect(run(process.execPath, [COMMAND], { env })).rejects.toMatchObject({ code: 1 })
  expect(await readFile(join(next, 'offers'), 'utf8')).toBe('filled so far')
  await log.close()
  await rm(dataFolder, { recursive: true })
})
