import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedAnalytics } from '../infra/analytics/embedded/analytics.ts'
import type { Analytics } from '../infra/analytics/port.ts'
import { temporaryFolder } from './suite/temporary-folder.ts'

/** Names a folder of the suite, in which its processes keep a store without rows. */
const FOLDER = 'TEST_NEW_ANALYTICS'

/** Vitest calls this before a suite. */
export default function prepareFolder(): () => void {
  const folder = mkdtempSync(join(temporaryFolder().TMPDIR ?? tmpdir(), 'new-analytics-'))
  process.env[FOLDER] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

/**
 * Opens the embedded store over a folder that is empty. Its tables are copied from a store that one process of the suite has made:
 * to create them takes a quarter of a second of the processor, to copy them a hundredth of that.
 */
export async function openNewAnalytics({ folder }: { folder: string }): Promise<Analytics> {
  const suiteFolder = process.env[FOLDER]
  if (suiteFolder !== undefined) cpSync(await storeIn(suiteFolder), folder, { recursive: true, verbatimSymlinks: true })
  return openEmbeddedAnalytics({ folder })
}

/** Opens such a store over a temporary folder, which is removed when the store is closed. */
export async function openTemporaryAnalytics(): Promise<Analytics> {
  const folder = await mkdtemp(join(tmpdir(), 'analytics-'))
  const analytics = await openNewAnalytics({ folder })
  return {
    ...analytics,
    async close() {
      await analytics.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** The path of the store without rows. Processes that need it at once each make one, and the first that is done keeps its own. */
async function storeIn(suiteFolder: string): Promise<string> {
  const store = join(suiteFolder, 'store')
  if (existsSync(store)) return store
  const made = mkdtempSync(join(suiteFolder, 'made-'))
  const analytics = await openEmbeddedAnalytics({ folder: made })
  await analytics.close()
  try {
    renameSync(made, store)
  } catch (error) {
    if (!existsSync(store)) throw error
  }
  return store
}
