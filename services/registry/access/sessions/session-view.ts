import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { SessionView } from '../../../../schemas/http/panel/accounts/session.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { entityFields, toIso } from '../../resources/conversions.ts'
import { accountIdOf, namedUser } from '../../rights/acting-user.ts'
import type { SecondFactors } from '../second-factor/second-factors.ts'
import { viewOfUser } from '../users/users.ts'
import type { Session } from './sessions.ts'

interface ShownSession extends Pick<Session, 'keeper' | 'users'> {
  expiresAt: number
}

/** Who is signed in, as the API answers it: the user in the account that the request names, or else in the first account. */
export function viewOfSession(
  { registry: { snapshot }, secondFactors }: { registry: { snapshot: Snapshot }; secondFactors: SecondFactors },
  request: Pick<FastifyRequest, 'headers'>,
  { keeper, users, expiresAt }: ShownSession,
): Static<typeof SessionView> {
  const user = namedUser(users, request) ?? users[0]!
  const account = accountOf(snapshot, user)
  const { role } = user.body
  return {
    user: viewOfUser(snapshot, user),
    account: account ? { ...entityFields(account), ...account.body } : null,
    accounts: users.map((each) => ({
      id: accountIdOf(each),
      name: accountOf(snapshot, each)?.body.name ?? null,
      kind: each.body.role,
    })),
    mustSetUpSecondFactor: secondFactors.isMissing({ role, secondFactor: keeper.body.secondFactor }),
    mayTurnOffSecondFactor: !users.some(({ body }) => secondFactors.isRequired(body)),
    expiresAt: toIso(expiresAt),
  }
}

const accountOf = (snapshot: Snapshot, { body }: Entity<'User'>): Entity<'Account'> | undefined =>
  body.accountId === null ? undefined : snapshot.get('Account', body.accountId)
