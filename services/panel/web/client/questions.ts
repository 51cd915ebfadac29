import { connection, isOfGateway } from './connection.ts'

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

/** `fetch` that asks the user for what the API demands, and then repeats the request. */
export async function fetchAskingAgain(request: Request): Promise<Response> {
  const again = request.clone()
  const response = await send(request)
  const question = await questionOf(request, response)
  return question !== null && (await ask(question)) ? send(again) : response
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
