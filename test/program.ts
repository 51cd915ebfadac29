import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limitSettings } from '../services/domain/limits.ts'
import { bundledProgram } from './bundle.ts'
import { generousLimits } from './generous-limits.ts'
import { NotYet, waitFor } from './wait-for.ts'

const PROGRAM = 'services/main.ts'
const START_TIMEOUT_MS = 180_000
/** The same options as in `make start` and in the image. */
const NODE_OPTIONS = ['--max-semi-space-size=16', '--enable-source-maps']
/** All load of a test comes from this machine and is for one shop, so it is counted but never refused. */
const GENEROUS_LIMITS = Object.fromEntries(
  Object.keys(generousLimits).map((name) => [limitSettings[name as keyof typeof limitSettings].setting, '1000000000']),
)

export interface Answer<T = unknown> {
  status: number
  body: T
  headers: Record<string, string | string[] | undefined>
  elapsedMs: number
}

export interface Program {
  url: string
  token: string
  folder: string
  process: ChildProcess
  call<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>
  /** The program's metrics, in Prometheus' format. */
  metrics(): Promise<string>
  /** Current and peak resident memory, in megabytes. */
  memoryMb(): { now: number; peak: number }
  kill(signal: NodeJS.Signals): Promise<void>
  /** Ends the program and removes its data. */
  stop(): Promise<void>
}

export interface ProgramOptions {
  /** Settings in addition to those that every test has: roles, the addresses of engines, a fixed port. */
  env?: Record<string, string>
  folder?: string
  /** The file to which output is appended, instead of this process's own error output. */
  logFile?: string
  /** Kills the program, even while it is starting. */
  signal?: AbortSignal
  /** The time limit until it listens, and again from then until it is ready. */
  startTimeoutMs?: number
  /** The status of `/health/ready` once it has started. Default: 200. */
  readyStatus?: number
  /** Runs the sources instead of their bundle, so that a profile names them. */
  fromSources?: boolean
}

/**
 * Starts the real program on a free port with its own data folder, everything embedded unless `env` says otherwise, and waits until
 * it is ready. @throws when it ends before that or takes too long; then it does not keep running.
 */
export async function startProgram(options: ProgramOptions = {}): Promise<Program> {
  const { startTimeoutMs = START_TIMEOUT_MS, readyStatus = 200 } = options
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'endcap-')))
  const token = 'a-token-for-benchmarks-only-0123456789'
  const logFile = options.logFile === undefined ? null : openSync(options.logFile, 'a')
  const file = options.fromSources ? join(import.meta.dirname, '..', PROGRAM) : await bundledProgram(PROGRAM)
  const child = spawn(process.execPath, [...NODE_OPTIONS, file], {
    env: {
      ...process.env,
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '131072',
      MALLOC_TRIM_THRESHOLD_: '131072',
      HTTP_PORT: '0',
      METRICS_PORT: '0',
      DATA_DIR: folder,
      BOOTSTRAP_TOKEN: token,
      LOG_LEVEL: 'warn',
      ...GENEROUS_LIMITS,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', logFile ?? 'inherit'],
    signal: options.signal,
    killSignal: 'SIGKILL',
  })
  // An abort is also reported here; what matters is the exit that follows.
  child.on('error', () => {})
  if (logFile !== null) child.once('close', () => closeSync(logFile))
  const endedEarly = new Promise<never>((_resolve, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`the program ended with ${code ?? signal}`)))
  })
  endedEarly.catch(() => {})
  let seen = ''
  // Read the addresses now: later output may push them out of the kept text.
  const { url, metricsUrl } = await new Promise<{ url: string; metricsUrl: string | null }>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`no address within ${startTimeoutMs} ms:\n${seen}`))
    }, startTimeoutMs)
    child.stdout!.on('data', (chunk: Buffer) => {
      if (logFile !== null) writeSync(logFile, chunk)
      seen = (seen + chunk.toString()).slice(-20_000)
      const found = seen.match(/listens at (http:\S+)/)
      if (!found) return
      clearTimeout(timer)
      resolve({ url: found[1]!, metricsUrl: seen.match(/^Metrics are at (http:\S+)$/m)?.[1] ?? null })
    })
    child.once('exit', (code) => reject(new Error(`the program ended with ${code}:\n${seen}`)))
  })
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })

  function call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const raw = typeof body === 'string' || Buffer.isBuffer(body)
    const payload = body === undefined ? undefined : raw ? (body as string | Buffer) : JSON.stringify(body)
    const startedAt = performance.now()
    return new Promise<Answer<T>>((resolve, reject) => {
      const sent = request(
        {
          hostname,
          port,
          path,
          method,
          agent,
          headers: {
            ...(payload === undefined
              ? {}
              : {
                  'content-type': raw ? 'application/xml' : 'application/json',
                  'content-length': Buffer.byteLength(payload),
                }),
            ...(path.startsWith('/v1/panel') || path.startsWith('/v1/feed') || path.startsWith('/v1/slots')
              ? { authorization: `Bearer ${token}` }
              : {}),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk) => chunks.push(chunk))
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            const json = /json/.test(response.headers['content-type'] ?? '')
            resolve({
              status: response.statusCode!,
              body: (json ? JSON.parse(text) : text) as T,
              headers: response.headers,
              elapsedMs: performance.now() - startedAt,
            })
          })
          response.on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(payload)
    })
  }

  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    agent.destroy()
    await exited
  }
  const program: Program = {
    url,
    token,
    folder,
    process: child,
    call,
    metrics: async () => (await fetch(metricsUrl!)).text(),
    memoryMb() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      const kb = (name: string) => Number(status.match(new RegExp(`${name}:\\s+(\\d+)`))?.[1] ?? 0)
      return { now: Math.round(kb('VmRSS') / 1024), peak: Math.round(kb('VmHWM') / 1024) }
    },
    kill,
    async stop() {
      await kill('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
  const ready = waitFor(async () => (await call('GET', '/health/ready')).status === readyStatus, startTimeoutMs)
  await Promise.race([ready, endedEarly]).catch(async (error) => {
    await kill('SIGKILL')
    throw error
  })
  return program
}

/** The value below which a share of the values lies (nearest rank). */
export function percentile(values: number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** Awaits a call that must succeed. @returns its body. @throws NotYet when the program asks to be asked again. */
export async function must<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { status, body } = await answer
  if (status >= 400) {
    const said = `${status}: ${JSON.stringify(body)}`
    throw status === 503 ? new NotYet(said) : new Error(said)
  }
  return body
}
