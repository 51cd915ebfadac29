import createClient from 'openapi-fetch'
import { connection, isOfGateway } from './connection.ts'
import { noAnswer, problemOf } from './problem.ts'
import { askingAgain } from './questions.ts'
import type { paths } from './schema.d.ts'

/** The client of the API, typed by its OpenAPI document. Every failed call rejects with ApiProblem. */
export const client = createClient<paths>({
  baseUrl: '',
  credentials: 'same-origin',
  fetch: (request) => askingAgain(send, request),
})

client.use({
  async onResponse({ response }) {
    if (isOfGateway(response)) throw noAnswer(response)
    if (!response.ok) throw await problemOf(response)
  },
  onError({ error }) {
    // An aborted request is not a network failure.
    if (error instanceof DOMException && error.name === 'AbortError') return
    return noAnswer(error)
  },
})

/** The header of a change that is refused when the entity no longer has the version that is shown. */
export const ifMatch = (version: number) => ({ 'if-match': `"${version}"` })

/** Unwraps the body of a call: `await answer(client.GET('/v1/panel/accounts'))`. @throws ApiProblem */
export async function answer<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T
}

/** `fetch` that tells the connection whether the server answered. */
async function send(request: Request): Promise<Response> {
  try {
    const response = await fetch(request)
    if (isOfGateway(response)) connection.failed()
    else connection.answered()
    return response
  } catch (error) {
    if (!request.signal.aborted) connection.failed()
    throw error
  }
}
