import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from '../../../free-port.ts'

/** The test's own Redis, which can be killed and stopped. */
export interface OwnRedis {
  url: string
  port: number
  start(): Promise<void>
  /** Kills it with SIGKILL; `start` continues with what it had written. */
  kill(): Promise<void>
  pause(): void
  resume(): void
}

/** A server in `folder`, not started yet. `options`: command line options besides the port and the append-only file. */
export async function ownRedis(folder: string, options: readonly string[] = []): Promise<OwnRedis> {
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let server: ChildProcess | null = null
  return {
    url,
    port,
    async start() {
      // With the default, everysec, Redis delays writes while the disk is busy, and a kill loses writes that it has acknowledged.
      const args = [
        '--port',
        String(port),
        '--save',
        '',
        '--appendonly',
        'yes',
        '--appendfsync',
        'always',
        '--dir',
        folder,
      ]
      args.push(...options)
      server = spawn('redis-server', args, { stdio: 'ignore' })
      const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null })
      client.on('error', () => {})
      // A server that requires a password answers with an error, which is an answer too.
      await client.ping().catch(() => {})
      client.disconnect()
    },
    async kill() {
      const ended = once(server!, 'exit')
      server!.kill('SIGKILL')
      await ended
      await delay(50)
    },
    pause: () => void server!.kill('SIGSTOP'),
    resume: () => void server!.kill('SIGCONT'),
  }
}
