import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../../infra/event-log/embedded/event-log.ts'
import type { RegistryEntry } from '../../../../schemas/records/entities.ts'
import { defaultLimits, type Limits } from '../../../../services/domain/limits.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { changed, created, openRegistry } from '../../../../services/registry/resources/store.ts'
import { createEntityLimits } from '../../../../services/registry/writes/entity-limits.ts'
import { bodies } from '../../../schemas/entity-samples.ts'
import { picture, upload } from '../images/pictures.ts'
import {
  campaignBody,
  discard,
  formatBody,
  type Office,
  openAccount,
  openOffice,
  openPublisher,
  shopBody,
} from '../office.ts'

const one: Partial<Limits> = {
  ...{ accountShops: 1, accountPlacements: 1, accountAdUnits: 1, accountAdFormats: 1, accountFeeds: 1 },
  ...{ accountTechnicalSlots: 1, accountCampaigns: 1, accountUsers: 1, accountTokens: 2, accountImages: 1 },
}

describe('an account that has all that it may have', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let advertiser: Awaited<ReturnType<typeof openAccount>>
  beforeAll(async () => {
    office = await openOffice({ limits: one })
    publisher = await openPublisher(office)
    advertiser = await openAccount(office, 'ADVERTISER', { sellerIds: ['s1'] })
  })
  afterAll(() => discard(office))

  const tellsFull = (limit: string) => ({
    status: 409,
    body: {
      code: 'CONFLICT',
      detail: expect.stringMatching(`^The account already has its maximum of .*: delete one first \\(${limit}\\)$`),
    },
  })

  it.each([
    ['shops', 'LIMIT_ACCOUNT_SHOPS', () => shopBody],
    ['placements', 'LIMIT_ACCOUNT_PLACEMENTS', () => ({ shopId: publisher.shopId, name: 'P', kind: 'PRODUCT' })],
    [
      'ad-units',
      'LIMIT_ACCOUNT_AD_UNITS',
      () => ({ placementId: publisher.placementId, name: 'U', algorithm: 'BESTSELLERS' }),
    ],
    ['feeds', 'LIMIT_ACCOUNT_FEEDS', () => ({ shopId: publisher.shopId, name: 'F' })],
    ['ad-formats', 'LIMIT_ACCOUNT_AD_FORMATS', () => formatBody(publisher.shopId, { name: 'Other' })],
  ])('gets no more %s', async (path, limit, body) => {
    expect(await office.call('POST', `/v1/panel/${path}`, body(), publisher.token)).toMatchObject(tellsFull(limit))
  })

  it('gets no more technical ad units, and changes the one that it has', async () => {
    const body = { name: 'T', shopId: publisher.shopId, businessSlot: { id: publisher.unitId } }
    const put = (name: string, more: object = {}) =>
      office.call('PUT', `/v1/slots/technical/${name}`, { ...body, ...more }, publisher.token)
    const first = await put('first')
    expect(first.status).toBe(201)
    expect(await put('second')).toMatchObject(tellsFull('LIMIT_ACCOUNT_TECHNICAL_SLOTS'))
    expect((await put('first', { id: first.body.id, name: 'Renamed' })).status).toBe(201)
    await office.call('DELETE', '/v1/slots/technical/first', undefined, publisher.token)
    expect((await put('second')).status).toBe(201)
  })

  it('gets a campaign again once it has deleted one, whatever others have', async () => {
    const create = (token: string) => office.call('POST', '/v1/panel/campaigns', campaignBody(publisher.shopId), token)
    const other = await openAccount(office, 'ADVERTISER', { sellerIds: ['s1'] })
    const first = await create(advertiser.token)
    expect(first.status).toBe(201)
    expect(await create(advertiser.token)).toMatchObject(tellsFull('LIMIT_ACCOUNT_CAMPAIGNS'))
    expect((await create(other.token)).status).toBe(201)
    await office.call('DELETE', `/v1/panel/campaigns/${first.body.id}`, undefined, advertiser.token)
    expect((await create(advertiser.token)).status).toBe(201)
  })

  it('gets no more tokens and images', async () => {
    const body = { accountId: advertiser.id, name: 'T', scopes: ['panel'] }
    expect((await office.call('POST', '/v1/panel/tokens', body)).status).toBe(201)
    expect(await office.call('POST', '/v1/panel/tokens', body)).toMatchObject(tellsFull('LIMIT_ACCOUNT_TOKENS'))
    const size = { width: 40, height: 20 }
    expect((await upload(office, advertiser.token, await picture('png', size))).status).toBe(201)
    expect(await upload(office, advertiser.token, await picture('webp', size))).toMatchObject(
      tellsFull('LIMIT_ACCOUNT_IMAGES'),
    )
  })
})

it('holds for images that are uploaded at once', async () => {
  const office = await openOffice({ limits: { accountImages: 1 } })
  const { token } = await openPublisher(office)
  const sizes = [20, 40].map((side) => ({ width: side, height: side }))
  const pictures = await Promise.all(sizes.map((size) => picture('png', size)))
  const answers = await Promise.all(pictures.map((each) => upload(office, token, each)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  await discard(office)
})

describe('counts', () => {
  const campaign = (id: string, accountId: string, version: number, deleted: boolean) =>
    ({
      ...{ kind: 'Campaign', id, version, updatedAt: 0, updatedBy: '', deletedAt: deleted ? 0 : null },
      body: { accountId, shopId: 's' },
    }) as RegistryEntry

  it('are of what is there, however it came to be', () => {
    const step = fc.record({ id: fc.nat(9), accountId: fc.constantFrom('a', 'b'), deleted: fc.boolean() })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.nat(60),
        fc.integer({ min: 1, max: 5 }),
        (steps, known, max) => {
          const snapshot = new Snapshot()
          const versions = new Map<string, number>()
          const apply = ({ id, accountId, deleted }: (typeof steps)[number]) => {
            const key = `${accountId}${id}`
            versions.set(key, (versions.get(key) ?? 0) + 1)
            snapshot.apply(campaign(key, accountId, versions.get(key)!, deleted))
          }
          steps.slice(0, known).forEach(apply)
          const limits = createEntityLimits(snapshot, { ...defaultLimits, accountCampaigns: max })
          steps.slice(known).forEach(apply)
          for (const accountId of ['a', 'b']) {
            const has = [...snapshot.all('Campaign')].filter(({ body }) => body.accountId === accountId).length
            const fits = (count: number) => () =>
              limits.beginBatch().take(Array.from({ length: count }, () => campaign(randomUUID(), accountId, 1, false)))
            expect(fits(Math.max(0, max - has))).not.toThrow()
            expect(fits(Math.max(0, max - has) + 1)).toThrow(`The account already has its maximum of ${max} campaigns`)
          }
        },
      ),
    )
  })

  it('of images are of their room, too', () => {
    const snapshot = new Snapshot()
    const limits = createEntityLimits(snapshot, { ...defaultLimits, accountImagesMib: 1 })
    const image = (id: string, accountIds: string[]) =>
      snapshot.apply({
        ...{ kind: 'Image', id, version: 1, updatedAt: 0, updatedBy: '', deletedAt: null },
        body: { accountIds, mediaType: 'PNG', width: 1, height: 1, bytes: 700_000 },
      } as RegistryEntry)
    image('1', ['a'])
    limits.checkRoom('Image', 'a')
    image('2', ['a', 'b'])
    expect(() => limits.checkRoom('Image', 'a')).toThrow('1 MiB of images')
    limits.checkRoom('Image', 'b')
  })
})

it('holds after a start, although a checkpoint names a shop after its parts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entity-limits-'))
  const log = await openEmbeddedEventLog({ folder, housekeepingMs: 3 })
  const open = () =>
    openRegistry({
      ...{ log, snapshot: new Snapshot(), now: Date.now, checkpointEvery: 2 },
      limits: { ...defaultLimits, accountPlacements: 1 },
    })
  const placement = { ...bodies.Placement, shopId: 'shop' }
  const registry = await open()
  await registry.write([created('Shop', 'shop', bodies.Shop)], { by: 'test' })
  await registry.write([created('Placement', 'p', placement)], { by: 'test' })
  const keysAfterChange = async () => {
    const shop = registry.snapshot.get('Shop', 'shop')!
    await registry.write([changed(shop, bodies.Shop)], { by: 'test' })
    return (await log.read('registry-checkpoint', 0, 0, 10)).map(({ key }) => key)
  }
  // Compaction keeps only the latest record of the shop.
  await expect.poll(keysAfterChange).toEqual(['Placement/p', 'Shop/shop'])
  await registry.close()
  const again = await open()
  await expect(again.write([created('Placement', 'q', placement)], { by: 'test' })).rejects.toMatchObject({
    code: 'CONFLICT',
  })
  await again.close()
  await log.close()
  await rm(folder, { recursive: true })
})
