import { lstat, mkdtemp, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises'
import type { Server } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperatorError } from '../../domain/errors.ts'

/** Enough for an address as text and the end of the line. */
const LINE_BYTES_MAX = 64
const LINE_END = 0x0a
const FOLDER_PREFIX = 'endcap-'
const SOCKET = 'gate'
/** The name of a socket that does not take connections yet. One that is named `SOCKET` and refuses them has lost its process. */
const UNREADY_SOCKET = 'gate.new'

/** A socket at which an HTTP server takes connections from other threads of its process. */
export interface Gate {
  /** The path of a socket that only this user may open. */
  path: string
  close(): Promise<void>
}

/**
 * Hands connections over to an HTTP server as if they had come to its port. Each begins with a line that holds the address from
 * which the original connection came, because the server limits and counts by it.
 */
export async function openGate(server: Server): Promise<Gate> {
  await removeAbandoned()
  // Short, because the path of a socket may have only about a hundred bytes.
  const folder = await mkdtemp(join(tmpdir(), FOLDER_PREFIX)).catch((error: Error) => {
    throw new OperatorError(
      `TMPDIR must be a folder with room for a socket, which WORKERS over 1 needs: ${error.message}`,
    )
  })
  const path = join(folder, SOCKET)
  const unreadyPath = join(folder, UNREADY_SOCKET)
  const gate = createServer((socket) => {
    socket.once('error', () => socket.destroy())
    readLine(socket, (address) => {
      Object.defineProperty(socket, 'remoteAddress', { value: address })
      server.emit('connection', socket)
    })
  })
  await new Promise<void>((resolve, reject) => {
    gate.once('error', reject)
    gate.listen(unreadyPath, resolve)
  })
  await rename(unreadyPath, path)
  return {
    path,
    async close() {
      gate.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Removes what processes have left that were killed, unless others put files next to it. */
async function removeAbandoned(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  const folders = names.filter((name) => name.startsWith(FOLDER_PREFIX)).map((name) => join(tmpdir(), name))
  await Promise.all(
    folders.map(async (folder) => {
      const path = join(folder, SOCKET)
      if (!(await isSocket(path)) || !(await refuses(path))) return
      // Another start may be removing the same.
      await unlink(path).catch(() => {})
      await rmdir(folder).catch(() => {})
    }),
  )
}

const isSocket = (path: string) =>
  lstat(path).then(
    (found) => found.isSocket(),
    () => false,
  )

const refuses = (path: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
  })

/** Reads the first line, and leaves what follows it to the next reader. */
function readLine(socket: Socket, onLine: (line: string) => void): void {
  let seen = Buffer.alloc(0)
  socket.on('data', function take(chunk: Buffer) {
    seen = Buffer.concat([seen, chunk])
    const end = seen.indexOf(LINE_END)
    if (end === -1 && seen.length <= LINE_BYTES_MAX) return
    socket.off('data', take)
    if (end === -1) {
      socket.destroy()
      return
    }
    socket.pause()
    if (end + 1 < seen.length) socket.unshift(seen.subarray(end + 1))
    onLine(seen.toString('latin1', 0, end))
    process.nextTick(() => socket.resume())
  })
}
