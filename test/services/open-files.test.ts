import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

const PROGRAM = join(import.meta.dirname, '../../services/main.ts')
const TOKEN = 'a-token-for-this-test-only-0123456789'

/** What the program writes to its log at a start that fails soon, because its data folder cannot be made. */
function logWith(ulimit: string): Promise<string> {
  const { stdout } = spawn('bash', ['-c', `${ulimit}; exec "$0" "$1"`, process.execPath, PROGRAM], {
    env: {
      PATH: process.env.PATH,
      HTTP_PORT: '0',
      METRICS_PORT: '0',
      DATA_DIR: '/dev/null/none',
      BOOTSTRAP_TOKEN: TOKEN,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return text(stdout)
}

describe('a start warns', () => {
  it('when the process may open few files', async () => {
    expect(await logWith('ulimit -n 256')).toContain('This process may open 256 files only (ulimit -n)')
  })

  it('not when only the soft limit is low, since Node raises it', async () => {
    expect(await logWith('ulimit -Sn 256')).toBe('')
  })
})
