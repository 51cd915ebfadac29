/** A minimal client of the management API, as a user's script would have. */
export interface Api {
  get<T>(path: string): Promise<T>
  /** Sends an object as JSON, a string as XML. */
  post<T>(path: string, body: object | string): Promise<T>
  /** Sends NDJSON: one object on each line. */
  postLines<T>(path: string, lines: readonly object[]): Promise<T>
  /** Sends a multipart form with one file. */
  postFile<T>(path: string, file: { name: string; bytes: Uint8Array }, fields: Record<string, string>): Promise<T>
}

/** The part that every created resource answers. */
export interface Created {
  id: string
}

export function createApi(options: { url: string; token: string }): Api {
  async function call<T>(method: string, path: string, body?: string | FormData, contentType?: string): Promise<T> {
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
  }
}
