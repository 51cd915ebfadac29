import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type BackupSource, BackupSourceFailed } from './source.ts'

/** The socket's file in the data folder. Only its owner may connect. */
export const SOCKET_FILE = 'backup.sock'
const OWNER_ONLY = 0o600
/** One connection takes a backup; the others are told so. */
const CONNECTIONS_MAX = 4
/** Linux's limit for the path of a socket. */
const SOCKET_PATH_MAX_BYTES = 107

const steps = ['begin', 'take', 'logCopied', 'end'] as const satisfies (keyof BackupSource)[]
type Step = (typeof steps)[number]
type Answer = { value: unknown } | { error: string }

/** The path of the socket in a data folder; null when it would be too long for one. */
function socketPathIn(dataFolder: string): string | null {
  const path = join(dataFolder, SOCKET_FILE)
  return Buffer.byteLength(path) > SOCKET_PATH_MAX_BYTES ? null : path
}

/**
 * Lets one other process at a time back up the data folder while this process works. The other process sends a line that names
 * a step of `BackupSource`, and a line of JSON answers it. A connection that breaks ends its backup.
 * @returns null when the path of the folder is too long for a socket.
 */
export async function serveBackups(
  source: BackupSource,
  dataFolder: string,
): Promise<{ close(): Promise<void> } | null> {
  const path = socketPathIn(dataFolder)
  if (path === null) return null
  const conversations = new Map<Socket, Promise<void>>()
  let holder: Socket | null = null
  let ending = Promise.resolve()

  async function take(step: Step, socket: Socket): Promise<unknown> {
    if (step === 'begin') {
      await ending
      if (holder) throw new Error('Another backup is already being taken')
      holder = socket
    }
    if (holder !== socket) throw new Error('No backup has begun')
    const value = await source[step]()
    if (step === 'end') holder = null
    return value
  }

  async function answer(line: string, socket: Socket): Promise<Answer> {
    try {
      if (!steps.includes(line as Step))
        throw new Error('The running program has a version that does not know this step')
      return { value: (await take(line as Step, socket)) ?? null }
    } catch (error) {
      return { error: (error as Error).message }
    }
  }

  async function converse(socket: Socket): Promise<void> {
    socket.on('error', () => {})
    try {
      for await (const line of linesOf(socket)) {
        socket.write(`${JSON.stringify(await answer(line, socket))}\n`)
      }
    } catch {
      // The connection has broken.
    }
    conversations.delete(socket)
    if (holder !== socket) return
    ending = source.end().catch(() => {})
    holder = null
  }

  const server = createServer((socket) => {
    conversations.set(socket, converse(socket))
  })
  server.maxConnections = CONNECTIONS_MAX
  // Removes the socket that a killed process has left. No other process has the folder open.
  await rm(path, { force: true })
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, OWNER_ONLY)
  return {
    async close() {
      const closed = once(server, 'close')
      server.close()
      const open = [...conversations]
      for (const [socket] of open) socket.destroy()
      await Promise.all(open.map(([, conversation]) => conversation))
      await closed
      await ending
    },
  }
}

/** The lines that a socket receives. They also end when the socket is destroyed. */
function linesOf(socket: Socket): AsyncIterable<string> {
  const lines = createInterface({ input: socket })
  socket.once('close', () => lines.close())
  return lines
}

/** The source in the program that has the data folder open; null when none runs, or when it has no socket. */
export async function connectBackupSource(dataFolder: string): Promise<BackupSource | null> {
  const path = socketPathIn(dataFolder)
  if (path === null) return null
  const socket = createConnection(path)
  try {
    await once(socket, 'connect')
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code!)) return null
    throw error
  }
  socket.on('error', () => {})
  const lines = linesOf(socket)[Symbol.asyncIterator]()

  async function ask<T>(step: Step): Promise<T> {
    socket.write(`${step}\n`)
    const { value: line, done } = await lines.next().catch(() => ({ value: '', done: true }))
    if (done) throw new BackupSourceFailed('The program stopped while the backup was being taken')
    const answer = JSON.parse(line) as Answer
    if ('error' in answer) throw new BackupSourceFailed(answer.error)
    return answer.value as T
  }

  return {
    begin: () => ask('begin'),
    take: () => ask('take'),
    logCopied: () => ask('logCopied'),
    async end() {
      await ask('end')
      socket.end()
    },
  }
}
