import type { FastifyRequest } from 'fastify'
import { networkOf, parseIpAddress } from '../../../domain/identity/ip-address.ts'

/** Where a request comes from, for counting tries: its IPv4 address or its IPv6 network of 64 bits, also a private one. */
export function sourceOf(request: Pick<FastifyRequest, 'ip'>): string {
  const address = parseIpAddress(request.ip ?? '')
  return address === null ? 'unknown' : networkOf(address)
}
