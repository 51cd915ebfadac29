import type { IncomingHttpHeaders } from 'node:http'
import { isbot } from 'isbot'
import { EVENT_LIMITS } from '../../schemas/http/events.ts'
import { Problem } from '../domain/errors.ts'
import { headerText } from '../http/header-text.ts'
import type { RequestContext } from './events/validation.ts'

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

const MALFORMED = `must be one value of at most ${EVENT_LIMITS.idChars} characters`

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

/** A uid that cannot be one is left out with a warning. @throws Problem INVALID when the cid is too long. */
export function requestContextOf(
  headers: IncomingHttpHeaders,
  { receivedAt, bot, client, sender }: Omit<RequestContext, 'cid' | 'uid' | 'warnings'>,
): RequestContext {
  const cid = idOf(headers.cid)
  if (cid === MALFORMED) {
    throw new Problem('INVALID', `header/cid: ${MALFORMED}`, { errors: [{ path: 'header/cid', message: MALFORMED }] })
  }
  const uid = idOf(headers.uid)
  const isLeftOut = uid === MALFORMED
  return {
    receivedAt,
    bot,
    client,
    cid,
    uid: isLeftOut ? null : uid,
    warnings: isLeftOut ? [{ path: 'header/uid', message: `${MALFORMED}: left out` }] : [],
    sender,
  }
}

function idOf(header: string | string[] | undefined): string | null | typeof MALFORMED {
  if (header === undefined || header === '') return null
  const id = typeof header === 'string' ? headerText(header) : null
  return id !== null && id.length <= EVENT_LIMITS.idChars ? id : MALFORMED
}
