import { expect, it } from 'vitest'
import { ApiProblem, problemOf } from '../../../../services/panel/web/client/problem.ts'

const problem = (...errors: { path: string; message: string }[]) =>
  new ApiProblem({ status: 400, code: 'INVALID', detail: errors.map(({ path }) => path).join('; '), errors })

const endAt = { path: '/endAt', message: 'must be after startAt' }
const sellers = {
  path: '/products/rule/sellerIds',
  message: 'are sellers whose products the account may not advertise',
}

it('shows an error at its field in the words of the panel', () => {
  expect(problem(endAt, sellers).fieldErrors()).toEqual({
    endAt: 'Must be after start',
    'products.rule.sellerIds': 'Are sellers whose products the account may not advertise',
  })
  const taken = { path: '/email', message: 'already in use' }
  expect(problem(taken).fieldErrors()).toEqual({ email: 'Already in use' })
})

it('tells beside a form only what is wrong beyond its fields', () => {
  expect(problem(endAt, sellers).beyond(['endAt', 'products'])).toBe('')
  expect(problem(endAt, sellers).beyond(['products'])).toBe('End: must be after start.')
  expect(problem({ path: '', message: 'is empty' }).beyond(['products'])).toBe(
    'Part of the request was refused: is empty.',
  )
})

it.each([
  [[endAt], 'End: must be after start.'],
  [
    [{ path: '/pacing', message: 'EVEN needs an endAt or a dailyBudget to spread the spend over' }],
    'Pacing: even pacing needs an end or a daily budget to spread the spend over.',
  ],
  [[{ path: '/banners/0/images/1/imageId', message: 'is required' }], 'Image: is required.'],
  [[{ path: 'querystring/to', message: 'must be later than from' }], 'To: must be later than from.'],
  [
    [
      { path: '/x', message: 'is odd' },
      { path: '/y', message: 'is odd' },
    ],
    'Part of the request was refused: is odd.',
  ],
])('has no path and no name of the API in its message: %j', async (errors, message) => {
  const detail = errors.map((each) => `${each.path}: ${each.message}`).join('; ')
  const body = { status: 400, code: 'INVALID', detail, errors }
  expect((await problemOf(Response.json(body, { status: 400 }))).message).toBe(message)
})

it('keeps a message without errors of fields', async () => {
  const body = { status: 409, code: 'CONFLICT', detail: 'The shop still has placements' }
  expect((await problemOf(Response.json(body, { status: 409 }))).message).toBe('The shop still has placements')
})

it.each([
  ['a service that is back soon', { status: 503, code: 'UNAVAILABLE', retryAfterMs: 5_000 }, true],
  ['a service that does not say when it is back', { status: 503, code: 'UNAVAILABLE' }, true],
  ['a damaged table, which lasts', { status: 503, code: 'REPORTS_UNAVAILABLE', retryAfterMs: 60_000 }, false],
  ['a report that took too long', { status: 503, code: 'REPORT_TOO_SLOW', retryAfterMs: 5_000 }, false],
  ['a read that is refused', { status: 404, code: 'NOT_FOUND' }, false],
])('knows whether a read may work soon: %s', (_, parts, passesSoon) => {
  expect(new ApiProblem({ ...parts, detail: '' }).passesSoon).toBe(passesSoon)
})
