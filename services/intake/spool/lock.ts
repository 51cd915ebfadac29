import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { realpath } from 'node:fs/promises'
import { createServer } from 'node:net'

/**
 * Takes a folder for this process alone. The lock is an abstract socket, which Linux frees when the process ends, however it
 * does; elsewhere there is none, and nothing is locked.
 * @returns frees the folder.
 * @throws Error when another process of this machine has it.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  if (process.platform !== 'linux') return () => {}
  const name = createHash('sha256')
    .update(await realpath(folder))
    .digest('hex')
  const socket = createServer().unref()
  try {
    socket.listen(`\0endcap-${name.slice(0, 32)}`)
    await once(socket, 'listening')
  } catch (error) {
    throw new Error(`The folder ${folder} is used by another process`, { cause: error })
  }
  return () => void socket.close()
}
