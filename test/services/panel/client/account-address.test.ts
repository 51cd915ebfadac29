import { expect, it } from 'vitest'
import { accountIn, baseOf, rightAddress } from '../../../../services/panel/web/client/account-address.ts'

const at = (pathname: string, search = '', hash = '') => ({ pathname, search, hash })

it.each([
  ['/panel/', null],
  ['/panel/campaigns', null],
  ['/panel/in/a-1', 'a-1'],
  ['/panel/in/a-1/campaigns/c-1', 'a-1'],
  ['/panel/inbox/a-1', null],
  ['/panel/in/%E2%82%AC/', '%E2%82%AC'],
  ['/panel/in/%/', '%'],
])('finds the account in %s', (pathname, id) => {
  expect(accountIn({ pathname })).toBe(id)
})

it('begins the addresses of an account with its id', () => {
  expect([baseOf(null), baseOf('a-1')]).toEqual(['/panel', '/panel/in/a-1'])
})

it('leaves a login with one account at addresses without one', () => {
  expect(rightAddress(at('/panel/campaigns'), ['a-1'], 'a-2')).toBeNull()
  expect(rightAddress(at('/panel/in/a-1/campaigns'), ['a-1'], null)).toBeNull()
})

it('opens the account that was used last, at the same page', () => {
  const page = at('/panel/campaigns', '?state=PAUSED', '#top')
  expect(rightAddress(page, ['a-1', 'a-2'], 'a-2')).toBe('/panel/in/a-2/campaigns?state=PAUSED#top')
  expect(rightAddress(page, ['a-1', 'a-2'], 'gone')).toBe('/panel/in/a-1/campaigns?state=PAUSED#top')
  expect(rightAddress(at('/panel'), ['a-1', 'a-2'], null)).toBe('/panel/in/a-1')
})

it('never changes the account that an address names, and leads home from one that the login has lost', () => {
  expect(rightAddress(at('/panel/in/a-1/campaigns'), ['a-1', 'a-2'], 'a-2')).toBeNull()
  expect(rightAddress(at('/panel/in/gone/campaigns'), ['a-1', 'a-2'], 'a-2')).toBe('/panel/in/a-2/')
  expect(rightAddress(at('/panel/in/gone/campaigns'), ['a-1'], null)).toBe('/panel/')
})
