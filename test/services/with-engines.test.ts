import { mkdtemp, rm } from 'node:fs/promises'
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
