import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeUser, signIn } from '../access/users/people.ts'
import { BOOTSTRAP_TOKEN, discard, type Json, type Office, openOffice, openPublisher, paths } from '../office.ts'

const PATH = '/v1/panel/report-views'

let office: Office
let ada: Awaited<ReturnType<typeof signIn>>
let bob: Awaited<ReturnType<typeof signIn>>
let operator: Awaited<ReturnType<typeof signIn>>

beforeAll(async () => {
  office = await openOffice()
  const { id: accountId } = await openPublisher(office)
  for (const name of ['ada', 'bob']) await makeUser(office, `${name}@shop.example`, { role: 'PUBLISHER', accountId })
  await makeUser(office, 'op@shop.example', { role: 'OPERATOR' })
  ada = await signIn(office, 'ada@shop.example')
  bob = await signIn(office, 'bob@shop.example')
  operator = await signIn(office, 'op@shop.example')
})
afterAll(() => discard(office))

const namesOf = async (person: typeof ada) => (await person.call('GET', PATH)).body.items.map(({ name }: Json) => name)

it('are saved, renamed and deleted, and follow their user to another browser', async () => {
  const made = await ada.call('POST', PATH, { name: 'Weekly', address: 'period=7-days&groupBy=campaign' })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ name: 'Weekly', address: 'period=7-days&groupBy=campaign', isDefault: false })
  const again = await signIn(office, 'ada@shop.example')
  expect(await namesOf(again)).toEqual(['Weekly'])
  const path = `${PATH}/${made.body.id}`
  expect((await again.call('PATCH', path, { name: 'Every week' })).body.name).toBe('Every week')
  expect((await ada.call('DELETE', path)).status).toBe(204)
  expect(await namesOf(ada)).toEqual([])
  expect(office.registry.snapshot.getEver('ReportView', made.body.id)?.body).toMatchObject({ name: '', address: '' })
})

it('are seen and changed by nobody else, not even the operator', async () => {
  const { body } = await ada.call('POST', PATH, { name: 'Private', address: '' })
  for (const other of [bob, operator]) {
    expect(await namesOf(other)).toEqual([])
    for (const [method, input] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const) {
      expect((await other.call(method, `${PATH}/${body.id}`, input)).status).toBe(404)
    }
  }
  expect((await office.call('GET', PATH, undefined, BOOTSTRAP_TOKEN)).body.items).toEqual([])
  expect((await office.call('POST', PATH, { name: 'Whose', address: '' }, BOOTSTRAP_TOKEN)).status).toBe(403)
  expect(await namesOf(ada)).toEqual(['Private'])
})

it('can be used with a token that their user has made', async () => {
  const { body } = await bob.call('POST', '/v1/panel/tokens', { name: 'script', scopes: ['panel'] })
  const made = await office.call('POST', PATH, { name: 'By script', address: 'groupBy=day' }, body.token)
  expect(made.status).toBe(201)
  expect(await namesOf(bob)).toEqual(['By script'])
})

it('have names of their own, whatever their case', async () => {
  await bob.call('POST', PATH, { name: 'Sales', address: '' })
  const other = await bob.call('POST', PATH, { name: 'Other', address: '' })
  for (const answer of [
    await bob.call('POST', PATH, { name: 'sales', address: '' }),
    await bob.call('PATCH', `${PATH}/${other.body.id}`, { name: 'SALES' }),
  ]) {
    expect(answer.status).toBe(409)
    expect(answer.body.errors).toEqual([{ path: '/name', message: 'already in use' }])
  }
  expect((await bob.call('PATCH', `${PATH}/${other.body.id}`, { name: 'OTHER' })).status).toBe(200)
})

it('have at most one default', async () => {
  const first = await ada.call('POST', PATH, { name: 'First', address: '', isDefault: true })
  const second = await ada.call('POST', PATH, { name: 'Second', address: '' })
  const defaults = async () => {
    const { items } = (await ada.call('GET', PATH)).body
    return items.filter(({ isDefault }: Json) => isDefault).map(({ name }: Json) => name)
  }
  expect(await defaults()).toEqual(['First'])
  await ada.call('PATCH', `${PATH}/${second.body.id}`, { isDefault: true })
  expect(await defaults()).toEqual(['Second'])
  expect((await ada.call('GET', `${PATH}/${first.body.id}`)).body.isDefault).toBe(false)
  await ada.call('PATCH', `${PATH}/${second.body.id}`, { isDefault: false })
  expect(await defaults()).toEqual([])
})

it.each([
  [{ name: '', address: '' }, '/name'],
  [{ name: 'n'.repeat(201), address: '' }, '/name'],
  [{ name: 'a', address: 'x'.repeat(4_001) }, '/address'],
  [{ name: 'a', address: 'a=b#c' }, '/address'],
  [{ name: 'a', address: 'a b' }, '/address'],
  [{ name: 'a' }, '/address'],
])('are refused as %j', async (body, path) => {
  const answer = await ada.call('POST', PATH, body)
  expect(answer.status).toBe(400)
  expect(paths(answer)).toEqual([path])
})

it('are at most 50 of a user', async () => {
  const taken = (await namesOf(operator)).length
  for (let i = taken; i < 50; i++) {
    expect((await operator.call('POST', PATH, { name: `View ${i}`, address: '' })).status).toBe(201)
  }
  expect((await operator.call('POST', PATH, { name: 'One more', address: '' })).body).toMatchObject({
    code: 'CONFLICT',
  })
})
