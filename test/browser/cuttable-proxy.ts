import type { AddressInfo } from 'node:net'
import { createServer, type Socket, connect as tcpConnect } from 'node:net'

export interface CuttableProxy {
  url: string
  /** Ends all connections, and new ones at once, as when the server is away. */
  cut(): void
  restore(): void
  stop(): Promise<void>
}

/**
 * A proxy between a browser and a server, on its own port, so that a test can take the server away and bring it back. It keeps the
 * port meanwhile: another process might take it.
 */
export async function openCuttableProxy(serverUrl: string): Promise<CuttableProxy> {
  const { hostname, port: serverPort } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) return void client.on('error', () => {}).resetAndDestroy()
    const target = tcpConnect(Number(serverPort), hostname)
    for (const socket of [client, target]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        target.destroy()
      })
    }
    client.pipe(target).pipe(client)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true
      endAll()
    },
    restore() {
      isCut = false
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      endAll()
      await closed
    },
  }
}
