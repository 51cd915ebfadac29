import type { Static } from 'typebox'
import type { SessionView } from '../../../../schemas/http/panel/accounts/session.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { entityFields, toIso } from '../../resources/conversions.ts'
import type { SecondFactors } from '../second-factor/second-factors.ts'
import { viewOfUser } from '../users/users.ts'

/** Who is signed in, as the API answers it. */
export function viewOfSession(
  { registry: { snapshot }, secondFactors }: { registry: { snapshot: Snapshot }; secondFactors: SecondFactors },
  { user, expiresAt }: { user: Entity<'User'>; expiresAt: number },
): Static<typeof SessionView> {
  const { accountId } = user.body
  const account = accountId === null ? undefined : snapshot.get('Account', accountId)
  return {
    user: viewOfUser(user),
    account: account ? { ...entityFields(account), ...account.body } : null,
    mustSetUpSecondFactor: secondFactors.isMissing(user.body),
    mayTurnOffSecondFactor: !secondFactors.isRequired(user.body),
    expiresAt: toIso(expiresAt),
  }
}
