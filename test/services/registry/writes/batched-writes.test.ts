import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../../infra/event-log/embedded/event-log.ts'
import { type EventLog, LogUnavailable } from '../../../../infra/event-log/port.ts'
import type { Campaign } from '../../../../schemas/records/entities.ts'
import { Problem } from '../../../../services/domain/errors.ts'
import { defaultLimits } from '../../../../services/domain/limits.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import {
  changed,
  created,
  openRegistry,
  type Registry,
  removed,
} from '../../../../services/registry/resources/store.ts'
import { tries } from '../../../effort.ts'
import { bodies } from '../../../schemas/entity-samples.ts'
import { discard, openOffice, openPublisher } from '../office.ts'

const by = { by: 'tester' }
const MAX_CAMPAIGNS = 4
let folder: string
let log: EventLog
let appends = 0
/** Runs before the next append of entries. */
let beforeAppend: () => Promise<void> = async () => {}
let registry: Registry

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batched-writes-'))
  log = await openEmbeddedEventLog({ folder })
})
afterAll(async () => {
  await registry.close()
  await log.close()
  await rm(folder, { recursive: true })
})

const counting = (): EventLog => ({
  ...log,
  async exclusiveWriter(name) {
    const writer = await log.exclusiveWriter(name)
    return {
      ...writer,
      async append(records) {
        appends += 1
        await beforeAppend()
        return writer.append(records)
      },
    }
  },
})

beforeEach(async () => {
  await registry?.close()
  beforeAppend = async () => {}
  registry = await openRegistry({
    log: counting(),
    snapshot: new Snapshot(),
    limits: { ...defaultLimits, accountCampaigns: MAX_CAMPAIGNS },
    now: () => 1,
  })
  appends = 0
})

let lastName = 0
const uniqueName = () => `n${++lastName}`
const campaign = (name: string, accountId = 'account'): Campaign => ({ ...bodies.Campaign, name, accountId })
const placement = (name: string) => ({ ...bodies.Placement, name })

describe('writes that wait', () => {
  it('are stored by a few appends, and each in the order of the calls', async () => {
    const ids = Array.from({ length: 200 }, uniqueName)
    const written = await Promise.all(ids.map((id) => registry.write([created('Placement', id, placement(id))], by)))
    expect(written.map(([entry]) => entry!.id)).toEqual(ids)
    expect(appends).toBeLessThan(5)
    const held = await log.read('registry', 0, (await log.bounds('registry'))[0]!.end - 200, 200)
    expect(held.map(({ key }) => key)).toEqual(ids.map((id) => `Placement/${id}`))
  })

  it('see what those before them have decided, and nobody else does before it is durable', async () => {
    const id = uniqueName()
    const listed = () => [...registry.snapshot.all('Placement')].filter((each) => each.id === id).length
    const seen: [string | undefined, number][] = []
    beforeAppend = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      seen.push([registry.snapshot.body('Placement', id)?.name, listed()])
    }
    const [, second] = await Promise.all([
      registry.write([created('Placement', id, placement('first'))], by),
      registry.write(() => {
        expect([registry.snapshot.body('Placement', id)?.name, listed()]).toEqual(['first', 1])
        return [changed(registry.snapshot.get('Placement', id)!, placement('second'))]
      }, by),
    ])
    expect(seen).toEqual([[undefined, 0]])
    expect(second).toMatchObject([{ version: 2, body: { name: 'second' } }])
    expect([registry.snapshot.body('Placement', id)?.name, listed()]).toEqual(['second', 1])
  })

  it('fail together with their append, also those that were refused or had nothing to store', async () => {
    const id = uniqueName()
    beforeAppend = async () => {
      throw new LogUnavailable('away')
    }
    const writes = [
      registry.write([created('Placement', id, placement('a'))], by),
      registry.write([created('Placement', id, placement('b'))], by),
      registry.write(
        () => (registry.snapshot.get('Placement', id) ? [] : [created('Placement', id, placement('c'))]),
        by,
      ),
    ]
    for (const write of await Promise.allSettled(writes)) {
      expect(write).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } })
    }
    expect(registry.snapshot.get('Placement', id)).toBeUndefined()
    beforeAppend = async () => {}
    expect(await registry.write([created('Placement', id, placement('d'))], by)).toMatchObject([{ version: 1 }])
  })

  it('are not refused for what one of them does wrong', async () => {
    const [first, second, third] = [uniqueName(), uniqueName(), uniqueName()]
    const huge = 'x'.repeat(1_100_000)
    const outcomes = await Promise.allSettled([
      registry.write([created('Placement', first, placement('a'))], by),
      registry.write(() => {
        throw new Problem('INVALID', 'no')
      }, by),
      registry.write([created('Placement', second, placement(huge))], by),
      registry.write([created('Placement', third, placement('c'))], by),
    ])
    expect(outcomes.map((each) => (each.status === 'rejected' ? each.reason.code : 'DONE'))).toEqual([
      ...['DONE', 'INVALID', 'TOO_LARGE', 'DONE'],
    ])
    expect(appends).toBe(1)
  })

  it('leave the room that a deletion before them has given back', async () => {
    const account = uniqueName()
    const ids = Array.from({ length: MAX_CAMPAIGNS + 2 }, uniqueName)
    const make = (id: string) => registry.write([created('Campaign', id, campaign(id, account))], by)
    const outcomes = await Promise.allSettled([
      ...ids.slice(0, MAX_CAMPAIGNS).map(make),
      make(ids[MAX_CAMPAIGNS]!),
      registry.write(() => [removed(registry.snapshot.get('Campaign', ids[0]!)!)], by),
      make(ids[MAX_CAMPAIGNS + 1]!),
    ])
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
      ...Array.from({ length: MAX_CAMPAIGNS }, () => true),
      ...[false, true, true],
    ])
    expect(appends).toBe(1)
  })
})

it('writes at once have the outcomes of writes one after the other', async () => {
  const step = fc.record({
    id: fc.nat(5),
    account: fc.constantFrom('a', 'b'),
    act: fc.constantFrom('create', 'change', 'change', 'remove', 'stale'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 40 }), async (steps) => {
      const run = uniqueName()
      const outcomes = await Promise.allSettled(
        steps.map(({ id, account, act }, i) =>
          registry.write(() => {
            const entity = registry.snapshot.get('Campaign', `${run}-${id}`)
            if (act === 'create') return [created('Campaign', `${run}-${id}`, campaign(`${i}`, `${run}-${account}`))]
            if (!entity) throw new Problem('NOT_FOUND', 'none')
            const change = act === 'remove' ? removed(entity) : changed(entity, { ...entity.body, name: `${i}` })
            return [act === 'stale' ? { ...change, version: change.version - 1 } : change]
          }, by),
        ),
      )
      expect(outcomes.map((each) => (each.status === 'rejected' ? each.reason.code : 'DONE'))).toEqual(oneByOne(steps))
    }),
    { numRuns: tries(60, 600) },
  )

  /** Applies the rules to one change at a time: no entity is created twice, a deleted one does not change, and an account has a limit. */
  function oneByOne(steps: readonly { id: number; account: string; act: string }[]): string[] {
    const known = new Map<number, { account: string; alive: boolean }>()
    return steps.map(({ id, account, act }) => {
      const entity = known.get(id)
      if (act === 'create') {
        const has = [...known.values()].filter((each) => each.alive && each.account === account).length
        if (entity || has >= MAX_CAMPAIGNS) return 'CONFLICT'
        known.set(id, { account, alive: true })
        return 'DONE'
      }
      if (!entity?.alive) return 'NOT_FOUND'
      if (act === 'stale') return 'CONFLICT'
      if (act === 'remove') entity.alive = false
      return 'DONE'
    })
  }
})

it('two requests at once make one technical ad unit, and the second is told', async () => {
  const office = await openOffice()
  const publisher = await openPublisher(office)
  const body = { name: 'x', shopId: publisher.shopId, businessSlot: { id: publisher.unitId } }
  const put = () => office.call('PUT', '/v1/slots/technical/home', body, publisher.token)
  const statuses = (await Promise.all([put(), put()])).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([201, 409])
  await discard(office)
})
