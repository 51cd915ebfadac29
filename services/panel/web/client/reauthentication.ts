import { connection, isOfGateway } from './connection.ts'

/**
 * Repeats a request that the API answered with REAUTHENTICATION_REQUIRED once the user has confirmed their identity. The
 * dialog registers itself here; without a dialog, the answer stands.
 */
type Ask = () => Promise<boolean>
let ask: Ask | null = null

/** @returns a function that unregisters the dialog. */
export function askWith(dialog: Ask): () => void {
  ask = dialog
  return () => {
    if (ask === dialog) ask = null
  }
}

/** `fetch` that has the user confirm their identity where the API demands it, and then repeats the request. */
export async function fetchAskingAgain(request: Request): Promise<Response> {
  const again = request.clone()
  const response = await send(request)
  if (response.status !== 403 || !ask) return response
  const problem = (await response
    .clone()
    .json()
    .catch(() => null)) as { code?: string } | null
  if (problem?.code !== 'REAUTHENTICATION_REQUIRED' || !(await ask())) return response
  return send(again)
}

/** `fetch` that tells the connection whether there was an answer. */
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
