import type { IncomingHttpHeaders } from 'node:http'
import { isbot } from 'isbot'
import { EVENT_LIMITS } from '../../schemas/http/events.ts'
import { Problem } from '../domain/errors.ts'
import type { Reception } from './event.ts'
import type { Sender } from './sender.ts'

/** User agents whose answer is remembered; a shop's visitors have far fewer that are common. */
const USER_AGENTS_MAX = 10_000
/** Longer ones are judged by their beginning. */
const USER_AGENT_CHARS_MAX = 512

/**
 * HTTP libraries, which isbot takes for bots. Here they are shops' servers and apps that report for their users: the
 * contract lets events come from anywhere. A crawler names itself, or drives a browser.
 */
const HTTP_LIBRARY =
  /^(aiohttp|apache-httpclient|axios|curl|dart|faraday|go-http-client|got|guzzlehttp|java|jersey|ktor|ky|libcurl|node|node-fetch|okhttp|php|postmanruntime|python|python-httpx|python-requests|python-urllib|reactor-netty|reqwest|rest-client|ruby|symfony|undici|wget)\b/i

/** Tells the User-Agents of bots. */
export function createBotDetector(): (userAgent: string | undefined) => boolean {
  const known = new Map<string, boolean>()
  return (userAgent = '') => {
    const name = userAgent.slice(0, USER_AGENT_CHARS_MAX)
    let bot = known.get(name)
    if (bot === undefined) {
      bot = !HTTP_LIBRARY.test(name) && isbot(name)
      if (known.size >= USER_AGENTS_MAX) known.clear()
      known.set(name, bot)
    }
    return bot
  }
}

/** @throws Problem INVALID when cid or uid is too long. */
export function receptionOf(
  headers: IncomingHttpHeaders,
  { now, isBot, sender }: { now: () => number; isBot: (userAgent: string | undefined) => boolean; sender: Sender },
): Reception {
  return {
    receivedAt: now(),
    bot: isBot(headers['user-agent']),
    cid: idOf(headers, 'cid'),
    uid: idOf(headers, 'uid'),
    sender,
  }
}

function idOf(headers: IncomingHttpHeaders, name: 'cid' | 'uid'): string | null {
  const value = headers[name]
  if (value === undefined || value === '') return null
  if (typeof value === 'string' && value.length <= EVENT_LIMITS.idChars) return value
  const message = `must be one value of at most ${EVENT_LIMITS.idChars} characters`
  throw new Problem('INVALID', `header/${name}: ${message}`, { errors: [{ path: `header/${name}`, message }] })
}
