import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { COPIED_LOG_ID, UNFINISHED_RESTORE } from '../../../services/process/data-folder.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const NOWHERE = '127.0.0.1:9'

it('a rebuild does not work on a folder whose log goes on in Kafka', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'moved-'))
  await writeFile(join(folder, COPIED_LOG_ID), 'an id')
  const running = run(process.execPath, [join(root, 'services/rebuild.ts')], {
    env: { ...process.env, DATA_DIR: folder },
  })
  await expect(running).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('into Kafka') })
  expect(await readdir(folder)).toEqual([COPIED_LOG_ID])
  await rm(folder, { recursive: true })
})

it.each([
  ['backup', {}],
  ['rebuild', { ENGINE: 'redis' }],
  [
    'migrate',
    {
      KAFKA_BROKERS: NOWHERE,
      CLICKHOUSE_URL: `http://${NOWHERE}`,
      ELASTICSEARCH_URL: `http://${NOWHERE}`,
      REDIS_URL: `redis://${NOWHERE}`,
    },
  ],
])('the command %s does not work on a folder that was restored by half', async (command, settings) => {
  const folder = await mkdtemp(join(tmpdir(), 'half-restored-'))
  const dataFolder = join(folder, 'data')
  await (await openEmbeddedEventLog({ folder: join(dataFolder, 'log') })).close()
  await writeFile(join(dataFolder, UNFINISHED_RESTORE), '')
  const env = { ...process.env, ...settings, DATA_DIR: dataFolder }
  const running = run(process.execPath, [join(root, `services/${command}.ts`), join(folder, 'file')], { env })
  await expect(running).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('was not completed') })
  await rm(folder, { recursive: true })
})
