import {
  AccountCreate,
  AccountPatch,
  AccountQuery,
  AccountView,
} from '../../../schemas/http/panel/accounts/accounts.ts'
import { Problem } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { entityFields } from '../resources/conversions.ts'
import { countOf } from '../resources/removal.ts'
import type { Resource } from '../resources/resource.ts'
import { removed } from '../resources/store.ts'
import { ofAccount } from '../rights/indexes.ts'
import { onlyRoles } from '../rights/roles.ts'
import { removedUser } from './users/logins.ts'

/** Accounts. The operator creates them; an account may change its own names and tax number. */
export function accounts(snapshot: Snapshot): Resource<'Account', typeof AccountCreate, typeof AccountPatch> {
  return {
    kind: 'Account',
    path: 'accounts',
    schemas: { create: AccountCreate, patch: AccountPatch, view: AccountView, query: AccountQuery },
    mayMake: onlyRoles(['OPERATOR'], 'Only the operator can create accounts'),
    create(input) {
      return { companyName: '', taxNumber: '', sellerIds: [], displayEnabled: false, ...input }
    },
    change({ body }, input, { role }) {
      const granted = (['sellerIds', 'displayEnabled'] as const).filter((name) => input[name] !== undefined)
      if (role !== 'OPERATOR' && granted.length > 0) {
        throw new Problem('FORBIDDEN', `Only the operator can set ${granted.join(' and ')}`, {
          errors: granted.map((name) => ({ path: `/${name}`, message: 'can be set by the operator only' })),
        })
      }
      return { ...body, ...input }
    },
    refusalFor({ role, accountId }, { id }) {
      if (role !== 'OPERATOR') return { code: 'FORBIDDEN', detail: 'Only the operator can delete an account' }
      return accountId === id ? { code: 'CONFLICT', detail: 'Users cannot delete their own account' } : null
    },
    blockedBy: ({ id }) => [
      countOf(snapshot, [ofAccount.Shop, id]),
      countOf(snapshot, [ofAccount.Campaign, id]),
      countOf(snapshot, [ofAccount.TechnicalSlot, id]),
    ],
    removal(account) {
      const tokens = [...snapshot.under(ofAccount.Token, account.id)]
      const users = [...snapshot.under(ofAccount.User, account.id)]
      return [
        ...tokens.map((token) => removed(token)),
        ...users.flatMap((user) => removedUser(snapshot, user)),
        removed(account),
      ]
    },
    views: (entities) => entities.map((entity) => ({ ...entityFields(entity), ...entity.body })),
  }
}
