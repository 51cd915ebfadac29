import { flushCompileCache } from 'node:module'
import { readConfig, settingNames } from '../infra/config.ts'
import { lastWords } from './domain/errors.ts'
import { keepFilesPrivate } from './process/data-folder.ts'
import { misspeltSettings } from './process/misspelt-settings.ts'
import { stopOnSignals } from './process/stop-on-signals.ts'
import { start } from './start.ts'

async function main(): Promise<void> {
  keepFilesPrivate()
  const config = readConfig(process.env)
  for (const warning of misspeltSettings(process.env, settingNames)) process.stderr.write(`${warning}\n`)
  const server = await start(config)
  stopOnSignals(server.stop, config)
  if (server.metricsUrl) process.stdout.write(`Metrics are at ${server.metricsUrl}\n`)
  process.stdout.write(`Endcap listens at ${server.url}\n`)
  // Written now, because a killed process would not write it at its end. It saves the next start a third of its time.
  flushCompileCache()
}

main().catch((error) => {
  process.stderr.write(lastWords(error))
  process.exit(1)
})
