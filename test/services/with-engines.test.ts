import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { readConfig } from '../../infra/config.ts'
import { openEmbeddedEventLog } from '../../infra/event-log/embedded/event-log.ts'
import { encode } from '../../schemas/wire/codec.ts'
import { withEngines } from '../../services/with-engines.ts'
import { samples } from '../schemas/samples.ts'

it('the engines of a command are closed, too, when it cannot read the registry', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'with-engines-'))
  const folder = join(dataFolder, 'log')
  const log = await openEmbeddedEventLog({ folder })
  const value = encode('RegistryEntry', samples.RegistryEntry)
  value.writeBigUInt64LE(0x0123456789abcdefn, 2)
  await log.append([{ topic: 'registry', key: 'of a newer version', value }])
  await log.close()

  const options = { config: readConfig({ DATA_DIR: dataFolder }), logger: pino({ level: 'silent' }), prepares: true }
  await expect(withEngines(options, async () => {})).rejects.toThrow('needs a newer version')
  await (await openEmbeddedEventLog({ folder })).close()
  await rm(dataFolder, { recursive: true })
})

it('the engines of a command are stopped, too, when one of them does not start', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'with-engines-'))
  await writeFile(join(dataFolder, 'counters'), 'no folder')
  const CLICKHOUSE_URL = 'http://never-asked:8123'
  const config = readConfig({ DATA_DIR: dataFolder, CLICKHOUSE_URL })
  const options = { config, logger: pino({ level: 'silent' }), prepares: false }
  await expect(withEngines(options, async () => {})).rejects.toThrow('EEXIST')
  // Next to an open file lie those of its write-ahead log.
  expect(await readdir(join(dataFolder, 'index'))).toEqual(['products.db'])
  await (await openEmbeddedEventLog({ folder: join(dataFolder, 'log') })).close()
  await rm(dataFolder, { recursive: true })
})
