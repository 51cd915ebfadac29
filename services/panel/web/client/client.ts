import createClient from 'openapi-fetch'
import { accountIn } from './account-address.ts'
import { connection, isOfGateway } from './connection.ts'
import { noAnswer, problemOf } from './problem.ts'
import { askingAgain } from './questions.ts'
import type { paths } from './schema.d.ts'

/** The account of this tab, which stays the same as long as the page is loaded; null when its address names none. */
export const ownAccountId = accountIn(location)

/** The client of the API, typed by its OpenAPI document. Every failed call rejects with ApiProblem. */
export const client = createClient<paths>({
  baseUrl: '',
  credentials: 'same-origin',
  fetch: (request) => askingAgain(send, request),
})

client.use({
  onRequest({ request }) {
    if (ownAccountId !== null) request.headers.set('endcap-account', ownAccountId)
    return request
  },
  async onResponse({ response }) {
    if (isOfGateway(response)) throw noAnswer(response)
    if (response.ok) return
    const problem = await problemOf(response)
    if (problem.code === 'ACCOUNT_REQUIRED') leaveAccount()
    throw problem
  },
  onError({ error }) {
    // An aborted request is not a network failure.
    if (error instanceof DOMException && error.name === 'AbortError') return
    return noAnswer(error)
  },
})

let isLeaving = false

/** Loads the panel anew: the login has got another account since the page was loaded, or has lost this one. */
function leaveAccount(): void {
  // Other requests of the page are refused as well, and each would begin the loading again.
  if (isLeaving) return
  isLeaving = true
  if (ownAccountId === null) location.reload()
  else location.assign('/panel/')
}

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
