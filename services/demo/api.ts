/** A minimal client of the management API, as a user's script would have. */
export interface Api {
  get<T>(path: string): Promise<T>
  /** Sends an object as JSON, a string as XML. */
  post<T>(path: string, body: object | string): Promise<T>
  /** Sends NDJSON: one object on each line. */
  postLines<T>(path: string, lines: readonly object[]): Promise<T>
  /** Sends a multipart form with one file. */
  postFile<T>(path: string, file: { name: string; bytes: Uint8Array }, fields: Record<string, string>): Promise<T>
  /** Accepts the invitation of a link with the login that its person has. */
  accept(link: string, login: { email: string; password: string }): Promise<void>
}

/** The part that every created resource answers. */
export interface Created {
  id: string
}

export function createApi(options: { url: string; token: string }): Api {
  async function send(method: string, path: string, init: Pick<RequestInit, 'headers' | 'body'>): Promise<Response> {
    const response = await fetch(options.url + path, { method, ...init })
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
    return response
  }

  async function call<T>(method: string, path: string, body?: string | FormData, contentType?: string): Promise<T> {
    const headers = {
      authorization: `Bearer ${options.token}`,
      ...(contentType ? { 'content-type': contentType } : {}),
    }
    const response = await send(method, path, { headers, ...(body === undefined ? {} : { body }) })
    const text = await response.text()
    return (text ? JSON.parse(text) : undefined) as T
  }

  /** Sends JSON as a page of the panel does. */
  const sendAsPage = (path: string, body: object, headers: Record<string, string> = {}) =>
    send('POST', path, {
      headers: { 'content-type': 'application/json', origin: options.url, ...headers },
      body: JSON.stringify(body),
    })

  return {
    get: (path) => call('GET', path),
    post: (path, body) =>
      typeof body === 'string'
        ? call('POST', path, body, 'application/xml')
        : call('POST', path, JSON.stringify(body), 'application/json'),
    postLines: (path, lines) =>
      call('POST', path, lines.map((line) => JSON.stringify(line)).join('\n'), 'application/x-ndjson'),
    postFile(path, file, fields) {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      form.append('file', new Blob([file.bytes as Uint8Array<ArrayBuffer>]), file.name)
      return call('POST', path, form)
    },
    async accept(link, login) {
      const signedIn = await sendAsPage('/v1/panel/session', login)
      const cookies = signedIn.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
      const token = new URL(link).hash.slice(1)
      await sendAsPage('/v1/panel/session/invitation', { token }, { cookie: cookies.join('; ') })
    },
  }
}
