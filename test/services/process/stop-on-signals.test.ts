import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

const FILE = new URL('../../../services/process/stop-on-signals.ts', import.meta.url)
const NEVER_MS = 3_600_000

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  errors: string
}

/**
 * Runs a process that stops with `stop`, and sends it one signal after the other, each once it has printed that it waits for one.
 * Otherwise the process ends by itself only after NEVER_MS.
 */
async function ended(stop: string, stopTimeoutMs: number, signals: readonly NodeJS.Signals[]): Promise<Ended> {
  const script = `
    import { stopOnSignals } from '${FILE}'
    setTimeout(() => {}, ${NEVER_MS})
    stopOnSignals(async () => { console.log('waits'); await (${stop})() }, { stopTimeoutMs: ${stopTimeoutMs} })
    console.log('waits')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk))
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  for (const signal of signals) {
    await once(child.stdout, 'data')
    child.kill(signal)
  }
  const [code, signal] = await closed
  return { code, signal, errors }
}

it('a process that is told to end exits once it has stopped', async () => {
  const { code, errors } = await ended('() => new Promise((resolve) => setTimeout(resolve, 20))', NEVER_MS, ['SIGTERM'])
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
})

it('a process that does not stop in time is cut off, and says so', async () => {
  const { signal, errors } = await ended('() => new Promise(() => {})', 50, ['SIGINT'])
  expect(signal).toBe('SIGKILL')
  expect(errors).toBe('Did not stop within STOP_TIMEOUT_MS (50): requests in progress are aborted\n')
})

it.each([
  { signals: ['SIGTERM', 'SIGTERM'], end: { code: null, signal: 'SIGTERM' } },
  { signals: ['SIGINT', 'SIGINT'], end: { code: null, signal: 'SIGINT' } },
] as const)('a second signal ends a process that stops at once: $signals', async ({ signals, end }) => {
  expect(await ended('() => new Promise(() => {})', NEVER_MS, signals)).toEqual({ ...end, errors: '' })
})
