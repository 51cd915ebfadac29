import type { AddressInfo } from 'node:net'
import { createServer, type Socket, connect as tcpConnect } from 'node:net'

export interface CuttableProxy {
  url: string
  /** Ends all connections and refuses new ones, as when the server is away. */
  cut(): Promise<void>
  restore(): Promise<void>
  stop(): Promise<void>
}

/** A proxy between a browser and a server, on its own port, so that a test can take the server away and bring it back. */
export async function openCuttableProxy(serverUrl: string): Promise<CuttableProxy> {
  const { hostname, port: serverPort } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const open = (port: number) =>
    new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
      const server = createServer((client) => {
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
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => resolve(server))
    })
  let server = await open(0)
  const { port } = server.address() as AddressInfo
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  let isOpen = true
  return {
    url: `http://127.0.0.1:${port}`,
    async cut() {
      isOpen = false
      await close()
    },
    async restore() {
      server = await open(port)
      isOpen = true
    },
    async stop() {
      if (isOpen) await close()
    },
  }
}
