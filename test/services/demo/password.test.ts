import { expect, it } from 'vitest'
import { DEMO_PASSWORD, isLoopback, passwordProblem, reachProblem } from '../../../services/demo/load/accounts.ts'

it('knows which addresses only this machine can reach', () => {
  for (const host of ['127.0.0.1', '127.8.9.1', '::1', 'localhost']) expect(isLoopback(host), host).toBe(true)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '192.168.1.2', 'shop.example', 'localhost.evil.example', '']) {
    expect(isLoopback(host), host).toBe(false)
  }
})

it('lets nobody from elsewhere in by the published password, and says what to set', () => {
  const published = { password: DEMO_PASSWORD, loaded: 'NO' } as const
  expect(reachProblem('0.0.0.0', published)).toMatch(/0\.0\.0\.0.*DEMO_PASSWORD.*HTTP_HOST/s)
  // The users exist already, so choosing a password now changes nothing.
  expect(reachProblem('0.0.0.0', { password: 'one of my own', loaded: 'PUBLISHED' })).toMatch(/DATA_DIR/)
  expect(reachProblem('0.0.0.0', { password: 'one of my own', loaded: 'NO' })).toBeNull()
  expect(reachProblem('0.0.0.0', { password: DEMO_PASSWORD, loaded: 'OWN' })).toBeNull()
  expect(reachProblem('127.0.0.1', published)).toBeNull()
  expect(reachProblem('::1', { password: DEMO_PASSWORD, loaded: 'PUBLISHED' })).toBeNull()
})

it('refuses a chosen password that no user may have, without repeating it', () => {
  expect(passwordProblem(DEMO_PASSWORD)).toBeNull()
  expect(passwordProblem('short')).toContain('DEMO_PASSWORD')
  expect(passwordProblem('short')).not.toContain('short')
})
