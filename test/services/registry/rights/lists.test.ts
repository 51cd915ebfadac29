import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { EntityKind, RegistryEntry } from '../../../../schemas/records/entities.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { type Asked, createAccess } from '../../../../services/registry/rights/access.ts'
import type { Principal } from '../../../../services/registry/rights/auth.ts'
import { bodies } from '../../../schemas/entity-samples.ts'

const ACCOUNTS = ['publisher-1', 'publisher-2', 'advertiser-1', 'advertiser-2']
const SHOPS = ['shop-1', 'shop-2', 'shop-3']
const kinds = (Object.keys(bodies) as EntityKind[]).filter((kind) => kind !== 'Account' && kind !== 'Shop')

const entity = fc.record({
  kind: fc.constantFrom(...kinds),
  id: fc.uuid(),
  accountId: fc.constantFrom(...ACCOUNTS),
  shopId: fc.constantFrom(...SHOPS),
  isDeleted: fc.boolean(),
})
const principal = fc.record({
  role: fc.constantFrom('OPERATOR', 'PUBLISHER', 'ADVERTISER'),
  accountId: fc.constantFrom(...ACCOUNTS),
})
const asked = fc.record(
  { shopId: fc.constantFrom(...SHOPS), accountId: fc.constantFrom(...ACCOUNTS), after: fc.uuid() },
  { requiredKeys: [] },
)

it('lists what a caller may see and asks for, in the order of ids: what `find` finds of all there is', () => {
  fc.assert(
    fc.property(
      fc.array(entity, { maxLength: 60 }),
      fc.array(fc.constantFrom(...ACCOUNTS), { minLength: 3, maxLength: 3 }),
      principal,
      asked,
      (entities, owners, caller, wanted) => {
        const snapshot = new Snapshot()
        const apply = (kind: EntityKind, id: string, body: object, isDeleted = false) =>
          snapshot.apply({
            ...{ kind, id, version: 1, updatedAt: 0, updatedBy: 'test', deletedAt: isDeleted ? 1 : null },
            body: { ...bodies[kind], ...body },
          } as RegistryEntry)
        for (const id of ACCOUNTS) apply('Account', id, {})
        for (const [i, id] of SHOPS.entries()) apply('Shop', id, { accountId: owners[i]! })
        for (const { kind, id, isDeleted, shopId, accountId } of entities) {
          const places = { shopId, accountId, accountIds: [accountId], userId: userOf(accountId) }
          const own = Object.entries(places).filter(([name]) => name in bodies[kind])
          apply(kind, id, Object.fromEntries(own), isDeleted)
        }
        const access = createAccess(snapshot)
        const by: Principal = {
          ...{ ...caller, actorId: 'test', userId: userOf(caller.accountId), scopes: [] },
          credential: { kind: 'SESSION', authenticatedAt: 0 },
        }
        for (const kind of Object.keys(bodies) as EntityKind[]) {
          const found = [...snapshot.all(kind)].filter(
            (each) => access.find(by, kind, each.id) !== undefined && isAsked(kind, each, wanted),
          )
          const inOrder = found.sort((a, b) => (a.id < b.id ? -1 : 1))
          expect([...access.list(by, kind, wanted)]).toEqual(inOrder)
        }
      },
    ),
  )
})

const userOf = (accountId: string) => `user of ${accountId}`

function isAsked(kind: EntityKind, { id, body }: { id: string; body: object }, { shopId, accountId, after }: Asked) {
  const fields = body as Record<string, unknown>
  const has = (name: string, value: string | undefined) =>
    value === undefined || !(name in bodies[kind]) || [fields[name]].flat().includes(value)
  return (
    [has('shopId', shopId), has('accountId', accountId), has('accountIds', accountId)].every(Boolean) &&
    id > (after ?? '')
  )
}
