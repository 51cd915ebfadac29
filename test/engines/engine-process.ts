import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '../wait-for.ts'

/**
 * Sends a signal to an engine that `infra/local/engines.sh` has started. After SIGKILL or SIGTERM, resolves when it is gone.
 * @param folder the folder in which the script writes the process id and when the process started.
 * @throws Error when it has ended, even if another process has its id now.
 */
export async function signalEngine(folder: string, signal: NodeJS.Signals): Promise<void> {
  const [id, startedAt] = (await readFile(join(folder, 'process'), 'utf8')).trim().split(' ')
  const isRunning = async () => (await startOf(Number(id))) === startedAt
  if (!(await isRunning())) throw new Error(`The engine of ${folder} has ended`)
  process.kill(Number(id), signal)
  if (signal === 'SIGKILL' || signal === 'SIGTERM') await waitFor(async () => !(await isRunning()))
}

/** When a process started, in clock ticks since the boot; null when there is no such process. */
async function startOf(id: number): Promise<string | null> {
  const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => null)
  // Field 22 of proc(5). The second field is a name in parentheses that may contain spaces.
  return stat && stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!
}
