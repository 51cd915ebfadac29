import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { readConfig } from '../../../../../infra/config.ts'
import { makeFirstOperator } from '../../../../../services/registry/access/users/users.ts'
import { discard, openOffice, quickPasswords } from '../../office.ts'
import { makeUser, openBrowser, PASSWORD, signIn } from './people.ts'

it('makes the operator of the settings once, to sign in and make others', async () => {
  const office = await openOffice()
  try {
    const deps = {
      registry: office.registry,
      passwords: quickPasswords,
      strength: { weakness: async () => null },
      uuid: randomUUID,
    }
    await makeFirstOperator(deps, { email: 'Root@ads.example', password: PASSWORD })
    await makeFirstOperator(deps, { email: 'second@ads.example', password: 'a later setting' })
    const operators = [...office.registry.snapshot.all('User')].map(({ body }) => [body.email, body.role])
    expect(operators).toEqual([['root@ads.example', 'OPERATOR']])
    const root = await signIn(office, 'root@ads.example')
    expect((await root.call('GET', '/v1/panel/users')).body.items).toHaveLength(1)
  } finally {
    await discard(office)
  }
})

it.each([
  'root@ads.example',
  'Root@Ads.Example',
  'root@localhost',
  'root',
  'Root <root@ads.example>',
  'röt@ads.example',
])('the settings take %s as the address of the first operator exactly if one can sign in with it', async (email) => {
  const office = await openOffice()
  try {
    const { status } = await openBrowser(office).call('POST', '/v1/panel/session', { email, password: PASSWORD })
    const read = () => readConfig({ OPERATOR_EMAIL: email, OPERATOR_PASSWORD: PASSWORD }).firstOperator
    if (status === 400) expect(read).toThrow(/^OPERATOR_EMAIL must be an e-mail address/)
    else expect(read()).toEqual({ email, password: PASSWORD })
  } finally {
    await discard(office)
  }
})

it.each([
  [' spaces around it ', ' spaces around it '],
  ['a line of a file\n', 'a line of a file'],
  ['a line of a file\r\n', 'a line of a file'],
])('the settings take the password %j as it is typed at sign-in', (given, password) => {
  const read = readConfig({ OPERATOR_EMAIL: 'root@ads.example', OPERATOR_PASSWORD: given })
  expect(read.firstOperator).toEqual({ email: 'root@ads.example', password })
})

it('the settings count a blank password as none', () => {
  expect(() => readConfig({ OPERATOR_EMAIL: 'root@ads.example', OPERATOR_PASSWORD: ' '.repeat(12) })).toThrow(
    /^OPERATOR_PASSWORD must have/,
  )
})

it('does not take over a user of another role', async () => {
  const office = await openOffice()
  try {
    const account = await office.make('/v1/panel/accounts', { kind: 'PUBLISHER', name: 'Shop' })
    await makeUser(office, 'ada@shop.example', { role: 'PUBLISHER', accountId: account.id })
    const deps = {
      registry: office.registry,
      passwords: quickPasswords,
      strength: { weakness: async () => null },
      uuid: randomUUID,
    }
    const operator = { email: 'ada@shop.example', password: PASSWORD }
    await expect(makeFirstOperator(deps, operator)).rejects.toThrow('OPERATOR_EMAIL')
  } finally {
    await discard(office)
  }
})
