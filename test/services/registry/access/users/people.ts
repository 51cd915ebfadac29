import type { Answer, Json, Office } from '../../office.ts'
import { BOOTSTRAP_TOKEN, PUBLIC_URL } from '../../office.ts'

export const PASSWORD = 'correct horse battery'

export function userBody(email: string, extra: object = {}) {
  return { email, name: 'Ada', password: PASSWORD, role: 'OPERATOR', ...extra }
}

/** Creates a user through the API. With `accountId` null, an operator. */
export function makeUser(office: Office, email: string, extra: object = {}): Promise<Json> {
  return office.make('/v1/panel/users', userBody(email, extra), BOOTSTRAP_TOKEN)
}

/** A browser on a page of the server itself, with the cookies that it has received. */
export interface Browser {
  /** The cookie of the session. */
  cookie: string | null
  /** The cookie that identifies the browser. */
  device: string | null
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export function openBrowser(office: Office): Browser {
  const browser: Browser = {
    cookie: null,
    device: null,
    async call(method, path, body, headers = {}) {
      const answer = await office.server.inject({
        method: method as 'GET',
        url: path,
        headers: {
          origin: PUBLIC_URL,
          cookie: ['other=1', browser.device, browser.cookie].filter((each) => each !== null).join('; '),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: body as object }),
      })
      for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
        const value = line.includes('Max-Age=0') ? null : line.split(';')[0]!
        if (line.startsWith('endcap_device=')) browser.device = value
        else browser.cookie = value
      }
      return { status: answer.statusCode, body: answer.body ? answer.json() : undefined, headers: answer.headers }
    },
  }
  return browser
}

export async function signIn(office: Office, email: string, password = PASSWORD): Promise<Browser> {
  const browser = openBrowser(office)
  const { status, body } = await browser.call('POST', '/v1/panel/session', { email, password })
  if (status !== 201) throw new Error(`not signed in: ${status} ${JSON.stringify(body)}`)
  return browser
}
