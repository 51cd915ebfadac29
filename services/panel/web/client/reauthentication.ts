/**
 * What the API answers REAUTHENTICATION_REQUIRED to is done after all once the user has proved again who it is. The
 * dialog that asks sets itself here; while none is there, the answer stands.
 */
type Ask = () => Promise<boolean>
let ask: Ask | null = null

/** @returns what takes it away again. */
export function askWith(dialog: Ask): () => void {
  ask = dialog
  return () => {
    if (ask === dialog) ask = null
  }
}

/** `fetch` that asks for a password where the API wants one, and then repeats the request. */
export async function fetchAskingAgain(request: Request): Promise<Response> {
  const again = request.clone()
  const response = await fetch(request)
  if (response.status !== 403 || !ask) return response
  const problem = (await response
    .clone()
    .json()
    .catch(() => null)) as { code?: string } | null
  if (problem?.code !== 'REAUTHENTICATION_REQUIRED' || !(await ask())) return response
  return fetch(again)
}
