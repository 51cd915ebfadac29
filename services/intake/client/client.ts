import type { FastifyRequest } from 'fastify'
import { isbot } from 'isbot'
import { copied } from '../../domain/caches.ts'
import { isLocalAddress, parseIpAddress } from '../../domain/identity/ip-address.ts'
import { clientAddress } from '../../http/client-address.ts'
import type { Sender } from '../sender.ts'
import { type Client, USER_AGENT_CHARS_MAX } from './client-hasher.ts'

const ADDRESS_HEADER = 'endcap-client-address'
const USER_AGENT_HEADER = 'endcap-client-user-agent'

/** User-Agents whose result is cached. The common ones among a shop's visitors are far fewer. */
const USER_AGENTS_MAX = 10_000

/**
 * HTTP libraries. isbot takes them for bots, but here they are servers and apps of shops, which report for their users. A
 * crawler names itself or drives a browser.
 */
const HTTP_LIBRARY =
  /^(aiohttp|apache-httpclient|axios|curl|dart|faraday|go-http-client|got|guzzlehttp|java|jersey|ktor|ky|libcurl|node|node-fetch|okhttp|php|postmanruntime|python|python-httpx|python-requests|python-urllib|reactor-netty|reqwest|rest-client|ruby|symfony|undici|wget)\b/i

/**
 * The shopper's browser behind a request. A request with a token comes from a shop's server: headers say for which browser
 * it reports. Without the address header the address is unknown; without the other, the server's own User-Agent counts.
 */
export function clientOf(request: FastifyRequest, sender: Sender): Client {
  const { headers } = request
  if (sender.proof !== 'TOKEN') return { address: clientAddress(request), userAgent: headers['user-agent'] ?? '' }
  const address = parseIpAddress(String(headers[ADDRESS_HEADER] ?? ''))
  const isPublic = address !== null && !isLocalAddress(address)
  const userAgent = headers[USER_AGENT_HEADER] ?? headers['user-agent']
  return { address: isPublic ? address : null, userAgent: String(userAgent ?? '') }
}

/** Whether a User-Agent is a known bot's. */
export function createBotDetector(): (userAgent: string) => boolean {
  const known = new Map<string, boolean>()
  return (userAgent) => {
    const name = userAgent.slice(0, USER_AGENT_CHARS_MAX)
    let bot = known.get(name)
    if (bot === undefined) {
      bot = !HTTP_LIBRARY.test(name) && isbot(name)
      if (known.size >= USER_AGENTS_MAX) known.clear()
      known.set(copied(name), bot)
    }
    return bot
  }
}
