import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '../wait-for.ts'

/**
 * Sends a signal to an engine that `infra/local/engines.sh` has started. After SIGKILL or SIGTERM, resolves when it is gone.
 * @param folder the folder in which the script writes the process id.
 */
export async function signalEngine(folder: string, signal: NodeJS.Signals): Promise<void> {
  const id = Number((await readFile(join(folder, 'process'), 'utf8')).split(' ')[0])
  process.kill(id, signal)
  if (signal === 'SIGKILL' || signal === 'SIGTERM') await waitFor(() => !existsSync(`/proc/${id}`))
}
