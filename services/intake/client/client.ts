import type { FastifyRequest } from 'fastify'
import { clientAddress } from '../../callers/client-address.ts'
import { isLocalAddress, parseIpAddress } from '../../domain/identity/ip-address.ts'
import type { Sender } from '../sender.ts'
import type { Client } from './client-hasher.ts'

const ADDRESS_HEADER = 'endcap-client-address'
const USER_AGENT_HEADER = 'endcap-client-user-agent'

/**
 * The shopper's browser behind a request of events. A shop's server is no browser: what it says of the browser counts,
 * because its token proves it, and what it does not say is unknown.
 */
export function clientOf(request: FastifyRequest, sender: Sender): Client {
  const { headers } = request
  if (sender.proof !== 'TOKEN') return { address: clientAddress(request), userAgent: headers['user-agent'] ?? '' }
  const address = parseIpAddress(String(headers[ADDRESS_HEADER] ?? ''))
  const isPublic = address !== null && !isLocalAddress(address)
  const userAgent = headers[USER_AGENT_HEADER] ?? headers['user-agent']
  return { address: isPublic ? address : null, userAgent: String(userAgent ?? '') }
}
