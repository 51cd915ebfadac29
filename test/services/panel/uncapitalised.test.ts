import { expect, it } from 'vitest'
import { uncapitalised } from '../../../services/panel/web/messages/uncapitalised.ts'

it.each([
  ['API tokens', 'API tokens'],
  ['Account ID', 'account ID'],
  ['E-mail', 'e-mail'],
  ['Users', 'users'],
])('writes %s as %s within a sentence', (label, within) => {
  expect(uncapitalised(label)).toBe(within)
})
