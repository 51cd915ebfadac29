import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { versionsSuite } from './versions.suite.ts'

versionsSuite(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'versions-'))
  const served = await startEmbeddedEventLog({ folder })
  return {
    connect: (program) => program.eventLogClient(served.connect()),
    async close() {
      await served.stop()
      await rm(folder, { recursive: true })
    },
  }
})
