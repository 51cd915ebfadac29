import { afterEach, beforeEach, expect, it } from 'vitest'
import { answerWith, askingAgain } from '../../../../services/panel/web/client/questions.ts'

/** What the API answers to one request after the other. */
let answers: { status: number; code?: string }[]
let asked: string[]
let unregister: (() => void)[]

beforeEach(() => {
  asked = []
  unregister = (['SESSION', 'IDENTITY'] as const).map((question) =>
    answerWith(question, async () => {
      asked.push(question)
      return true
    }),
  )
})
afterEach(() => {
  for (const each of unregister) each()
})

async function send(request: Request): Promise<Response> {
  expect(await request.text()).toBe('{"name":"Lamps"}')
  const { status, code } = answers.shift()!
  return Response.json({ code }, { status })
}

const ENDED = { status: 401, code: 'UNAUTHENTICATED' }
const UNPROVEN = { status: 403, code: 'REAUTHENTICATION_REQUIRED' }

it.each([
  { of: 'nothing where the API demands nothing', given: [{ status: 200 }], questions: [] },
  { of: 'nothing where the session was replaced meanwhile', given: [ENDED, { status: 200 }], questions: [] },
  { of: 'to sign in where the session has ended', given: [ENDED, ENDED, { status: 200 }], questions: ['SESSION'] },
  { of: 'for a proof of identity', given: [UNPROVEN, { status: 200 }], questions: ['IDENTITY'] },
  {
    of: 'for a proof of identity of a new session',
    given: [ENDED, UNPROVEN, { status: 200 }],
    questions: ['IDENTITY'],
  },
])('asks $of, and sends the request again', async ({ given, questions }) => {
  answers = [...given]
  const request = new Request('http://panel.example/v1/panel/campaigns', { method: 'POST', body: '{"name":"Lamps"}' })
  expect((await askingAgain(send, request)).status).toBe(200)
  expect(asked).toEqual(questions)
  expect(answers).toEqual([])
})
