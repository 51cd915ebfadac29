import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The time limit for a script that should end by itself. */
const RUN_MAX_MS = 180_000

export interface Ended {
  code: number | null
  output: string
}

/** Runs a script of services/ to its end, in an empty data folder unless `settings` names one. */
export async function runToEnd(
  name: 'main' | 'restore-log' | 'rebuild',
  settings: Record<string, string>,
): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-'))
  const script = join(import.meta.dirname, `../../../services/${name}.ts`)
  const env = { ...process.env, HTTP_PORT: '0', METRICS_PORT: '0', DATA_DIR: folder, ...settings }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: RUN_MAX_MS })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  await rm(folder, { recursive: true })
  return { code, output }
}
