import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { discard, type Office, openOffice, openPublisher, paths } from '../office.ts'

const ADDRESS = 'https://shop.example/feed.xml'

let office: Office
let shopId: string
let feedId: string
beforeAll(async () => {
  office = await openOffice()
  ;({ shopId } = await openPublisher(office))
})
afterAll(() => discard(office))

describe('the stored password of a feed', () => {
  beforeEach(async () => {
    const login = { username: 'shop', password: 'secret-1' }
    feedId = (await office.make('/v1/panel/feeds', { shopId, name: 'F', url: ADDRESS, ...login })).id
  })

  const change = (fields: object) => office.call('PATCH', `/v1/panel/feeds/${feedId}`, fields)
  const stored = () => office.registry.snapshot.body('Feed', feedId)

  it.each([
    ['host', 'https://other.example/feed.xml'],
    ['scheme', 'http://shop.example/feed.xml'],
    ['port', 'https://shop.example:8443/feed.xml'],
    ['presence', null],
  ])('does not follow its address to another %s', async (_part, url) => {
    const answer = await change({ url })
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID' } })
    expect(paths(answer)).toEqual(['/password'])
    expect(paths(await change({ url, username: 'mallory' }))).toEqual(['/password'])
    expect(stored()).toMatchObject({ url: ADDRESS, username: 'shop', password: 'secret-1' })
  })

  it.each(['https://shop.example/b.xml?all', 'https://SHOP.example:443/feed.xml'])(
    'stays when its address becomes %s, of the same origin',
    async (url) => {
      expect((await change({ url })).status).toBe(200)
      expect(stored()).toMatchObject({ url, username: 'shop', password: 'secret-1' })
    },
  )

  it.each(['secret-2', null])('is replaced by %s together with its address', async (password) => {
    const url = 'https://other.example/feed.xml'
    expect((await change({ url, password })).status).toBe(200)
    expect(stored()).toMatchObject({ url, username: 'shop', password })
  })
})

it('changes the address of a feed without a password freely', async () => {
  const { id } = await office.make('/v1/panel/feeds', { shopId, name: 'F', url: ADDRESS, username: 'shop' })
  const url = 'https://other.example/feed.xml'
  expect((await office.call('PATCH', `/v1/panel/feeds/${id}`, { url })).body).toMatchObject({ url, username: 'shop' })
})
