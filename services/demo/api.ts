/** A bare client of the management API: what a script of a user's would be. */
export interface Api {
  get<T>(path: string): Promise<T>
  /** An object goes as JSON, a string as XML. */
  post<T>(path: string, body: object | string): Promise<T>
  /** NDJSON: one object a line. */
  postLines<T>(path: string, lines: object[]): Promise<T>
}

export function createApi(options: { url: string; token: string }): Api {
  async function call<T>(method: string, path: string, contentType?: string, body?: string): Promise<T> {
    const response = await fetch(options.url + path, {
      method,
      headers: { authorization: `Bearer ${options.token}`, ...(contentType ? { 'content-type': contentType } : {}) },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return (text ? JSON.parse(text) : undefined) as T
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) =>
      typeof body === 'string'
        ? call('POST', path, 'application/xml', body)
        : call('POST', path, 'application/json', JSON.stringify(body)),
    postLines: (path, lines) =>
      call('POST', path, 'application/x-ndjson', lines.map((line) => JSON.stringify(line)).join('\n')),
  }
}
