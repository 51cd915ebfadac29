import { once } from 'node:events'
import { createServer } from 'node:net'
import type { FastifyListenOptions } from 'fastify'
import type { HttpServer } from './server.ts'

/**
 * @param isShared whether other threads listen on the same port; the system then distributes the connections.
 * @returns the address. @throws EADDRINUSE
 */
export function listen(
  server: HttpServer,
  { host, port, isShared }: { host: string; port: number; isShared: boolean },
): Promise<string> {
  const options: FastifyListenOptions & { reusePort: boolean } = { host, port, reusePort: isShared }
  return server.listen(options)
}

/** Call before a port is shared: it could otherwise be shared with another program of the same user. @throws EADDRINUSE */
export async function throwUnlessFree(port: number, host: string): Promise<void> {
  const probe = createServer().listen(port, host)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}
