import type { FastifyRequest } from 'fastify'
import { networkOf, parseIpAddress } from '../../../domain/identity/ip-address.ts'

/** Where a request comes from, for counting tries: its address, of IPv6 its network of 64 bits; private ones too. */
export function sourceOf(request: Pick<FastifyRequest, 'ip'>): string {
  const address = parseIpAddress(request.ip ?? '')
  return address === null ? 'unknown' : networkOf(address)
}
