import type { FastifyRequest } from 'fastify'
import { isLocalAddress, networkList, parseIpAddress } from '../domain/identity/ip-address.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether an address, as a socket or `X-Forwarded-For` spells it, is of a proxy of ours. */
    isTrustedProxy: IsTrustedProxy
  }
}

export type IsTrustedProxy = (address: string) => boolean

/** Reads each address strictly and in any spelling, where proxy-addr by itself misses ports and takes 0x7f.1 for loopback. */
export function trustedProxies(proxies: readonly string[]): IsTrustedProxy {
  const isTrusted = networkList(proxies)
  return (text) => {
    const address = parseIpAddress(text ?? '')
    return address !== null && isTrusted(address)
  }
}

/**
 * The public IP address of the client that sent a request, in canonical spelling: the rightmost of `X-Forwarded-For` and
 * the socket that is no trusted proxy. What stands further left is the sender's own word and counts for nothing.
 * Null when it is unknown: a loopback, private, link-local or carrier-grade address (a proxy of which TRUSTED_PROXIES
 * says nothing is one), a trusted proxy itself, or no address at all. Rules by address do not apply to it.
 */
export function clientAddress(request: FastifyRequest): string | null {
  // Fastify walks the hops from the right, and asks `isTrustedProxy` of each but the last.
  const address = parseIpAddress(request.ip ?? '')
  if (address === null || isLocalAddress(address) || request.server.isTrustedProxy(address)) return null
  return address
}
