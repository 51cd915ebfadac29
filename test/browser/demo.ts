import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundledProgram } from '../bundle.ts'
import { freePort } from '../free-port.ts'

export const TOKEN = 'a-token-for-tests-of-the-demo-0123456789'
const START_TIMEOUT_MS = 180_000

export interface RunningDemo {
  adServer: string
  shopUrl: string
  folder: string
  /** Everything printed so far. */
  printed(): string
  api<T>(path: string): Promise<T>
  /** Stops the program as Ctrl-C does. @returns its exit code. */
  end(): Promise<number | null>
  /** Stops the program and removes its data. */
  stop(): Promise<void>
}

export interface DemoOptions {
  folder?: string
  env?: Record<string, string>
  /** Kills the program when it prints this text. */
  killAt?: string
}

/** Starts the demo as `make run` does, on free ports. */
export async function startDemo(options: DemoOptions = {}): Promise<RunningDemo> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'endcap-demo-')))
  const [httpPort, shopPort] = [await freePort(), await freePort()]
  const child = spawn(process.execPath, [await bundledProgram('services/demo/main.ts')], {
    env: {
      ...process.env,
      HTTP_PORT: String(httpPort),
      DEMO_PORT: String(shopPort),
      DATA_DIR: folder,
      BOOTSTRAP_TOKEN: TOKEN,
      // These tests do not measure speed, and a browser shares the machine.
      SELECTION_DEADLINE_MS: '3000',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const isReady = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready in time:\n${printed}`)), START_TIMEOUT_MS)
    const settle = (action: () => void) => {
      clearTimeout(timer)
      action()
    }
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        printed += chunk
        if (options.killAt && printed.includes(options.killAt)) child.kill('SIGKILL')
        if (printed.includes('Try this')) settle(resolve)
      })
    }
    child.once('close', (code) => settle(() => reject(new Error(`it ended with ${code}:\n${printed}`))))
  })
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGINT')
      await once(child, 'exit')
    }
    return child.exitCode
  }
  await isReady.catch(async (error) => {
    child.kill('SIGKILL')
    if (!options.folder) await rm(folder, { recursive: true, force: true })
    throw error
  })
  const adServer = `http://127.0.0.1:${httpPort}`
  return {
    adServer,
    shopUrl: `http://127.0.0.1:${shopPort}`,
    folder,
    printed: () => printed,
    async api<T>(path: string) {
      const answer = await fetch(adServer + path, { headers: { authorization: `Bearer ${TOKEN}` } })
      return (await answer.json()) as T
    },
    end,
    async stop() {
      await end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
