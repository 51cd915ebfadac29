import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../../infra/event-log/embedded/event-log.ts'
import { type EventLog, LogUnavailable } from '../../../../infra/event-log/port.ts'
import type { EntityKind } from '../../../../schemas/records/entities.ts'
import { Problem } from '../../../../services/domain/errors.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { changed, created, openRegistry, removed } from '../../../../services/registry/resources/store.ts'
import { followRegistry } from '../../../../services/replicas/registry-follower.ts'
import { campaignBody, discard, NOW, type Office, openAccount, openOffice, openPublisher } from '../office.ts'

const kinds: EntityKind[] = ['Account', 'Token', 'Shop', 'Placement', 'AdUnit', 'TechnicalSlot', 'Feed', 'Campaign']
const placement = (name: string) => ({ shopId: 's', name, kind: 'PRODUCT' as const })
const by = { by: 'tester' }

function content(snapshot: Snapshot) {
  return Object.fromEntries(
    kinds.map((kind) => [kind, [...snapshot.all(kind)].toSorted((a, b) => (a.id < b.id ? -1 : 1))]),
  )
}

describe('the registry', () => {
  let office: Office
  beforeEach(async () => {
    office = await openOffice()
  })
  afterEach(() => discard(office))

  it('is the same after a restart, and for those who follow it', async () => {
    const shop = await openPublisher(office)
    const advertiser = await openAccount(office, 'ADVERTISER', { sellerIds: ['s'] })
    await office.make('/v1/panel/campaigns', campaignBody(shop.shopId), advertiser.token)
    const slot = { name: 'x', shopId: shop.shopId, businessSlot: { id: shop.unitId } }
    await office.call('PUT', '/v1/slots/technical/a', slot, shop.token)
    const gone = await office.make('/v1/panel/placements', { shopId: shop.shopId, name: 'gone', kind: 'PRODUCT' })
    await office.call('DELETE', `/v1/panel/placements/${gone.id}`)
    await office.call('PATCH', `/v1/panel/shops/${shop.shopId}`, { name: 'Renamed' })
    const before = content(office.registry.snapshot)

    const followed = new Snapshot()
    const tail = await followRegistry({ log: office.log, snapshot: followed })
    expect(content(followed)).toEqual(before)
    await tail.close()

    await office.stop()
    // Stopping stores when tokens were last used.
    const atTheEnd = content(office.registry.snapshot)
    const again = await openOffice({ folder: office.folder })
    expect(content(again.registry.snapshot)).toEqual(atTheEnd)
    expect(again.registry.snapshot.getEver('Placement', gone.id)?.deletedAt).toBe(NOW)
    expect((await again.call('GET', '/v1/slots/technical/a', undefined, shop.token)).status).toBe(200)
    expect((await again.call('PUT', '/v1/slots/technical/a', slot, shop.token)).status).toBe(409)
    office = again
  })

  it('shows followers what is written later', async () => {
    const snapshot = new Snapshot()
    const seen = new Promise<void>((resolve) => snapshot.onChange(() => resolve()))
    const tail = await followRegistry({ log: office.log, snapshot })
    await office.registry.write([created('Placement', 'p', placement('a'))], by)
    await seen
    expect(snapshot.get('Placement', 'p')).toEqual(office.registry.snapshot.get('Placement', 'p'))
    await tail.close()
  })

  it('stores changes with who, when and which version', async () => {
    const { registry, clock } = office
    await registry.write([created('Placement', 'p', placement('a'))], by)
    clock.now += 5
    const [entry] = await registry.write(() => [changed(registry.snapshot.get('Placement', 'p')!, placement('b'))], by)
    const expected = {
      kind: 'Placement',
      id: 'p',
      version: 2,
      updatedAt: NOW + 5,
      updatedBy: 'tester',
      deletedAt: null,
    }
    expect(entry).toEqual({ ...expected, body: placement('b') })
    expect(registry.snapshot.get('Placement', 'p')).toEqual(entry)
    await registry.write([removed(registry.snapshot.get('Placement', 'p')!)], by)
    expect(registry.snapshot.get('Placement', 'p')).toBeUndefined()
    expect(registry.snapshot.getEver('Placement', 'p')).toMatchObject({ version: 3, deletedAt: NOW + 5 })
  })

  it('refuses a change of a version that is not the last, and stores nothing of its write', async () => {
    const { registry } = office
    await registry.write([created('Placement', 'p', placement('a'))], by)
    const old = registry.snapshot.get('Placement', 'p')!
    await registry.write([changed(old, placement('b'))], by)
    const late = registry.write([created('Placement', 'q', placement('q')), changed(old, placement('c'))], by)
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(registry.snapshot.body('Placement', 'p')?.name).toBe('b')
    expect(registry.snapshot.get('Placement', 'q')).toBeUndefined()
  })

  it('runs writes one at a time, so that what was checked still holds', async () => {
    const { registry } = office
    await registry.write([created('Placement', 'p', placement('0'))], by)
    const raise = () =>
      registry.write(() => {
        const entity = registry.snapshot.get('Placement', 'p')!
        return [changed(entity, placement(String(Number(entity.body.name) + 1)))]
      }, by)
    await Promise.all(Array.from({ length: 20 }, raise))
    expect(registry.snapshot.body('Placement', 'p')?.name).toBe('20')
  })

  it('goes on after a write that fails', async () => {
    const { registry } = office
    const failing = registry.write(() => {
      throw new Problem('INVALID', 'no')
    }, by)
    const next = registry.write([created('Placement', 'p', placement('a'))], by)
    await expect(failing).rejects.toThrow('no')
    expect(await next).toHaveLength(1)
  })

  it('is fenced by a second one: 503 from then on, and a signal to end', async () => {
    const shop = await openPublisher(office)
    const second = await openRegistry({ log: office.log, snapshot: new Snapshot(), now: () => NOW })
    const body = { shopId: shop.shopId, name: 'x', kind: 'PRODUCT' }
    for (let i = 0; i < 2; i++) {
      const answer = await office.call('POST', '/v1/panel/placements', body)
      expect(answer).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    expect((await office.registry.fenced).name).toBe('Fenced')
    expect((await office.call('GET', `/v1/panel/shops/${shop.shopId}`)).status).toBe(200)
    await second.write([created('Placement', 'p', placement('a'))], by)
    await second.close()
  })

  it('refuses what does not fit into a record', async () => {
    const huge = Array.from({ length: 10_000 }, (_, i) => `${i}-${'x'.repeat(110)}`)
    const campaign = office.registry.write([created('Account', 'a', account(huge))], by)
    await expect(campaign).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect(await office.registry.write([created('Account', 'a', account([]))], by)).toHaveLength(1)
  })

  it.each([true, false])('finds out what a failed append has stored (stored: %s)', async (stored) => {
    const log = await openEmbeddedEventLog({ folder: `${office.folder}/doubt` })
    const registry = await openRegistry({ log: failingOnce(log, stored), snapshot: new Snapshot(), now: () => NOW })
    const write = () => registry.write([created('Placement', 'p', placement('a'))], by)
    await expect(write()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    if (stored) await expect(write()).rejects.toMatchObject({ code: 'CONFLICT' })
    else expect(await write()).toHaveLength(1)
    expect(registry.snapshot.get('Placement', 'p')).toMatchObject({ version: 1 })
    await registry.close()
    await log.close()
  })
})

function account(sellerIds: string[]) {
  return { kind: 'ADVERTISER' as const, name: 'a', companyName: '', taxNumber: '', sellerIds, displayEnabled: false }
}

/** A log whose first exclusive append throws, after storing the records if `stores`. */
function failingOnce(log: EventLog, stores: boolean): EventLog {
  let fails = true
  return {
    ...log,
    async exclusiveWriter(name) {
      const writer = await log.exclusiveWriter(name)
      return {
        ...writer,
        async append(records) {
          const positions = fails && !stores ? [] : await writer.append(records)
          if (!fails) return positions
          fails = false
          throw new LogUnavailable('no answer')
        },
      }
    },
  }
}
