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
  const response = await fetch(request)
  if (response.status !== 403 || !ask) return response
  const problem = (await response
    .clone()
    .json()
    .catch(() => null)) as { code?: string } | null
  if (problem?.code !== 'REAUTHENTICATION_REQUIRED' || !(await ask())) return response
  return fetch(again)
}
