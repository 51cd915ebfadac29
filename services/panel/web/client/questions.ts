/**
 * What the API may demand of the user before it does what was asked. IDENTITY: confirm their identity (REAUTHENTICATION_REQUIRED).
 * SESSION: sign in again, because the session has ended.
 */
export type Question = 'IDENTITY' | 'SESSION'

/** Opens the dialog of a question. Resolves to whether the request may be repeated. */
type Dialog = () => Promise<boolean>

const dialogs = new Map<Question, Dialog>()

/** Registers the dialog of a question. Without a dialog, the API's refusal stands. @returns a function that unregisters it. */
export function answerWith(question: Question, dialog: Dialog): () => void {
  dialogs.set(question, dialog)
  return () => {
    if (dialogs.get(question) === dialog) dialogs.delete(question)
  }
}

export const ask = async (question: Question): Promise<boolean> => (await dialogs.get(question)?.()) ?? false

type Send = (request: Request) => Promise<Response>

/**
 * Sends a request, asks the user for what the API demands, and then repeats the request. It first repeats one whose session has ended:
 * the session may have been replaced after the request was sent, as it is when two-step sign-in is turned on.
 */
export async function askingAgain(send: Send, request: Request): Promise<Response> {
  let response = await send(request.clone())
  let question = await questionOf(request, response)
  if (question === 'SESSION') {
    response = await send(request.clone())
    question = await questionOf(request, response)
  }
  return question !== null && (await ask(question)) ? send(request) : response
}

/** Signing in and reading the session can answer 401 although no session has ended. */
const SESSION_PATH = '/v1/panel/session'

async function questionOf(request: Request, response: Response): Promise<Question | null> {
  if (response.status !== 401 && response.status !== 403) return null
  const { code } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { code?: string }
  if (code === 'REAUTHENTICATION_REQUIRED') return 'IDENTITY'
  return code === 'UNAUTHENTICATED' && new URL(request.url).pathname !== SESSION_PATH ? 'SESSION' : null
}
