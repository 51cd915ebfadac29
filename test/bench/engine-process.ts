import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ENGINES_DIR = process.env.ENGINES_DIR ?? join(import.meta.dirname, '../../.engines')

/** The process id of an engine of this machine, from the file that `infra/local/engines.sh` writes. */
export function engineProcess(engine: string): number {
  return Number(readFileSync(join(ENGINES_DIR, engine, 'process'), 'utf8').split(' ')[0])
}
