import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type PasswordStrength,
  threadedPasswordStrength,
} from '../../../../../services/registry/access/users/password-strength.ts'
import { discard, type Office, openOffice, paths } from '../../office.ts'
import { makeUser, openBrowser, userBody } from './people.ts'

describe('weak passwords', () => {
  let strength: PasswordStrength
  let office: Office
  beforeAll(async () => {
    strength = threadedPasswordStrength()
    office = await openOffice({ strength })
  })
  afterAll(async () => {
    await discard(office)
    await strength.close()
  })

  it.each([
    ['password123', 'most common'],
    ['Passw0rd!!', 'similar to'],
    ['qwertyuiop', 'most common'],
    ['aaaaaaaaaaaa', 'repeat'],
    ['hunter2hunter2', 'repeat'],
    ['ada@shop.example', 'it contains'],
    ['endcap-ada', 'easy to guess'],
  ])('such as %s are refused, and why is told', async (password, why) => {
    const answer = await office.call('POST', '/v1/panel/users', userBody('ada@shop.example', { password }))
    expect([answer.status, paths(answer)]).toEqual([400, ['/password']])
    expect(answer.body.errors[0].message).toContain(why)
    expect(JSON.stringify(answer.body)).not.toContain(`"${password}"`)
  })

  it.each(['correct horse battery', 'try-the-aisle-today', 'Zażółć gęślą jaźń'])('%s is none', async (password) => {
    expect(await strength.weakness(password, ['ada'])).toBeNull()
  })

  it('are refused in a change and in a link as well', async () => {
    const { id } = await makeUser(office, 'bob@shop.example')
    const changed = await office.call('PATCH', `/v1/panel/users/${id}`, { password: 'password123' })
    expect(paths(changed)).toEqual(['/password'])
    const { url } = await office.make(`/v1/panel/users/${id}/password-link`, {})
    const given = { token: url.split('#')[1], password: 'password123' }
    expect(paths(await openBrowser(office).call('POST', '/v1/panel/session/password', given))).toEqual(['/password'])
    const strong = { ...given, password: 'correct horse battery' }
    expect((await openBrowser(office).call('POST', '/v1/panel/session/password', strong)).status).toBe(204)
  })

  it('hold up nobody while they are judged, however hostile', async () => {
    const hostile = ['p4$$w0rd'.repeat(32), '4@8({[</369&#!1/|0$5+7%2/4'.repeat(9), '2024'.repeat(64)]
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 5)
    await Promise.all(hostile.map((password) => strength.weakness(password, [])))
    clearInterval(timer)
    expect(turns).toBeGreaterThan(3)
  })
})
