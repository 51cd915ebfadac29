import createClient from 'openapi-fetch'
import { noAnswer, problemOf } from './problem.ts'
import { fetchAskingAgain } from './reauthentication.ts'
import type { paths } from './schema.d.ts'

/** The program's API, typed by its OpenAPI. Every call rejects with ApiProblem; the session's cookie goes along. */
export const client = createClient<paths>({ baseUrl: '', credentials: 'same-origin', fetch: fetchAskingAgain })

client.use({
  async onResponse({ response }) {
    if (!response.ok) throw await problemOf(response)
  },
  onError({ error }) {
    // A request that was given up is not a failure of the network.
    if (error instanceof DOMException && error.name === 'AbortError') return
    return noAnswer(error)
  },
})

/** What a call answers: `await answer(client.GET('/v1/panel/accounts'))`. @throws ApiProblem */
export async function answer<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T
}
