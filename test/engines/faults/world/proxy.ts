import { once } from 'node:events'
import { createServer, connect as dial, type Socket } from 'node:net'
import { Transform } from 'node:stream'

/** A TCP proxy that makes the network between a program and an engine slow, or cuts it. */
export interface NetworkProxy {
  readonly port: number
  /** Delays each piece of data, in both directions, by this many milliseconds; 0 ends the delay. */
  delay(ms: number): void
  /** Resets every connection and refuses new ones. */
  cut(): Promise<void>
  /** Accepts connections again. */
  mend(): Promise<void>
}

/** Listens on `port` of the loopback address and forwards to `targetPort` of it. */
export async function openProxy({ port, targetPort }: { port: number; targetPort: number }): Promise<NetworkProxy> {
  const sockets = new Set<Socket>()
  let delayMs = 0
  const hold = () =>
    new Transform({
      transform(chunk, _encoding, done) {
        if (delayMs === 0) done(null, chunk)
        else setTimeout(done, delayMs, null, chunk)
      },
    })
  const server = createServer((near) => {
    const far = dial(targetPort, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket.setNoDelay())
      socket.pipe(hold()).pipe(other)
      socket.once('error', () => other.destroy())
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  const mend = async () => {
    if (!server.listening) await once(server.listen(port, '127.0.0.1'), 'listening')
  }
  await mend()
  return {
    port,
    mend,
    delay(ms) {
      delayMs = ms
    },
    async cut() {
      if (!server.listening) return
      const closed = once(server.close(), 'close')
      for (const socket of sockets) socket.resetAndDestroy()
      await closed
    },
  }
}
