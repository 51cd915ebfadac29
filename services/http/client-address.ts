import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { isLocalAddress, networkList, parseIpAddress } from '../domain/identity/ip-address.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether an address, as a socket or `X-Forwarded-For` spells it, is a trusted proxy. */
    isTrustedProxy: IsTrustedProxy
  }
}

export type IsTrustedProxy = (address: string) => boolean

/** Parses addresses strictly; proxy-addr by itself fails on ports and accepts 0x7f.1 as loopback. */
export function trustedProxies(proxies: readonly string[]): IsTrustedProxy {
  const isTrusted = networkList(proxies)
  return (text) => {
    const address = parseIpAddress(text ?? '')
    return address !== null && isTrusted(address)
  }
}

/**
 * The public IP address of the client that sent a request, in canonical spelling. Of the addresses in `X-Forwarded-For`,
 * followed by that of the socket, it is the rightmost that is not a trusted proxy. Entries further left are the sender's own
 * claim and are ignored.
 *
 * Null when it is unknown: a loopback, private, link-local or carrier-grade NAT address (such as a proxy missing from
 * TRUSTED_PROXIES), a trusted proxy itself, or no address at all. Rules by address do not apply then.
 */
export function clientAddress(request: FastifyRequest): string | null {
  const { socket } = request
  if (request.headers['x-forwarded-for'] !== undefined) return publicAddress(request)
  const known = bySocket.get(socket)
  if (known !== undefined) return known
  const address = publicAddress(request)
  bySocket.set(socket, address)
  return address
}

/** Addresses of connections, cached for their requests without X-Forwarded-For. */
const bySocket = new WeakMap<Socket, string | null>()

function publicAddress(request: FastifyRequest): string | null {
  // Fastify walks the hops from the right and checks each but the last with `isTrustedProxy`.
  const address = parseIpAddress(request.ip ?? '')
  if (address === null || isLocalAddress(address) || request.server.isTrustedProxy(address)) return null
  return address
}
