import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/*
 * The ports below belong to servers that are killed and started again on the same port. The system gives them to no connection
 * (`net.ipv4.ip_local_port_range` begins at 32768), so that they are still free then. No two suites have the same.
 */

/** What suites with engines of their own add to the usual ports of these (`ENGINES_PORT_OFFSET`). */
export const engineOffsets = {
  faults: 3_000,
  brokers: { 1: 6_010, 2: 6_020, 3: 6_030 },
  mirrored: { first: 7_000, second: 7_010 },
} as const
/** The first port of the programs that a suite starts, which take one after the other. */
export const programPorts = { faults: 24_100, budgets: 24_300 } as const
export const MIRROR_MAKER_PORT = 26_200
/** From here on, `two-shards.ts` draws ports by lot. */
export const DRAWN_PORTS = [28_000, 32_000] as const

/** A port of this machine that is free now: any, or the one that is wanted. @throws when that one is taken. */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
