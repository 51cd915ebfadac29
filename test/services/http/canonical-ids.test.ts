import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { canonicalIds } from '../../../services/http/canonical-ids.ts'
import { openOffice } from '../registry/office.ts'

const ID = 'ABCDEFAB-CDEF-4ABC-8DEF-ABCDEFABCDEF'
const canonical = ID.toLowerCase()

it('gives ids their spelling where a schema says that there are some, and touches nothing else', () => {
  const Id = Type.String({ format: 'uuid' })
  const spell = canonicalIds(
    Type.Object({
      id: Id,
      text: Type.String(),
      list: Type.Array(Id),
      deep: Type.Object({ ids: Type.Array(Type.Object({ id: Id, name: Type.String() })) }),
      maybe: Type.Union([Id, Type.Null()]),
    }),
  )!
  const given = {
    id: ID,
    text: ID,
    list: [ID, 'no id'],
    deep: { ids: [{ id: ID, name: ID }] },
    maybe: null,
    unknown: ID,
  }
  expect(spell(given)).toEqual({
    ...given,
    id: canonical,
    list: [canonical, 'no id'],
    deep: { ids: [{ id: canonical, name: ID }] },
  })
  expect(spell({ maybe: ID, id: 7 })).toEqual({ maybe: canonical, id: 7 })
  expect(spell(null)).toBeNull()
  expect(canonicalIds(Type.Object({ text: Type.String() }))).toBeNull()
})

it('makes no difference of case in the paths, filters and bodies of the management API', async () => {
  const office = await openOffice()
  const account = await office.make('/v1/panel/accounts', {
    kind: 'PUBLISHER',
    name: 'P',
    companyName: 'P',
    taxNumber: '1',
  })
  const shop = await office.make('/v1/panel/shops', {
    accountId: account.id.toUpperCase(),
    name: 'Shop',
    currency: 'EUR',
    lang: 'en',
    country: 'DE',
    timeZone: 'Europe/Berlin',
  })
  expect(shop.accountId).toBe(account.id)
  const path = `/v1/panel/shops/${shop.id.toUpperCase()}`
  expect((await office.call('GET', path)).body.id).toBe(shop.id)
  expect((await office.call('PATCH', path, { name: 'Other' })).status).toBe(200)
  const listed = await office.call('GET', `/v1/panel/shops?accountId=${account.id.toUpperCase()}`)
  expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual([shop.id])
  expect((await office.call('GET', '/v1/panel/shops/no-id')).status).toBe(404)
  await office.stop()
})
