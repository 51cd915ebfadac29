import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { followRegistry } from '../../../../services/replicas/registry-follower.ts'
import { makeUser, signIn } from '../access/users/people.ts'
import { picture, upload } from '../images/pictures.ts'
import { campaignBody, discard, displayBody, type Office, openAccount, openOffice, openPublisher } from '../office.ts'

/** Reports and explanations take names of deleted entities from `getEver`; the tests of `figures` and `explain` cover their answers. */
describe('what was deleted', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let brand: Awaited<ReturnType<typeof openAccount>>
  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office, { displayEnabled: true })
    brand = await openAccount(office, 'ADVERTISER', { displayEnabled: true, sellerIds: ['s'] })
  })
  afterAll(() => discard(office))

  it('is gone for its callers, and stays in history with its name, who deleted it and all before', async () => {
    const campaign = await office.make('/v1/panel/campaigns', campaignBody(publisher.shopId), brand.token)
    const path = `/v1/panel/campaigns/${campaign.id}`
    expect((await office.call('DELETE', path, undefined, brand.token)).status).toBe(204)
    expect((await office.call('GET', path, undefined, brand.token)).status).toBe(404)
    // Read the log as another process would, or this one after a restart.
    const snapshot = new Snapshot()
    await (await followRegistry({ log: office.log, snapshot })).close()
    expect(snapshot.get('Campaign', campaign.id)).toBeUndefined()
    expect(snapshot.getEver('Campaign', campaign.id)).toMatchObject({
      version: 2,
      updatedBy: brand.id,
      deletedAt: office.clock.now,
      body: { name: 'Spring', accountId: brand.id, budgetMicros: 100_000_000 },
    })
  })

  it('still has its name in decisions of moderation: the user that made them', async () => {
    const image = await upload(office, brand.token, await picture('jpeg', { width: 40, height: 20 }))
    const given = { shopId: publisher.shopId, formatId: publisher.formatId, imageId: image.body.id }
    const campaign = await office.make('/v1/panel/campaigns', displayBody(given), brand.token)
    const role = { role: 'PUBLISHER', accountId: publisher.id, name: 'Grace' }
    const { id } = await makeUser(office, 'grace@shop.example', role)
    const grace = await signIn(office, 'grace@shop.example')
    expect((await grace.call('POST', `/v1/panel/moderation/${campaign.id}/accept`, {})).status).toBe(200)
    expect((await office.call('DELETE', `/v1/panel/users/${id}`)).status).toBe(204)
    const { body } = await office.call('GET', `/v1/panel/campaigns/${campaign.id}`, undefined, brand.token)
    expect(body.moderation).toMatchObject({
      decidedBy: id,
      decidedByName: 'Grace',
      history: [{ decidedBy: id, decidedByName: 'Grace' }],
    })
    await office.call('DELETE', `/v1/panel/campaigns/${campaign.id}`, undefined, brand.token)
    const kept = office.registry.snapshot.getEver('Campaign', campaign.id)
    expect(kept?.body.moderation?.history).toMatchObject([{ state: 'ACCEPTED', decidedBy: id }])
  })
})
