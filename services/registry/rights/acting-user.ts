import type { FastifyRequest } from 'fastify'
import { BOOTSTRAP_ACCOUNT_ID } from '../../callers/bearer-tokens.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity } from '../../domain/snapshot.ts'

/** Names the account that a request of a session acts for. */
const ACCOUNT_HEADER = 'endcap-account'

/** The account of a user in addresses and headers. Operators without an account share an id. */
export const accountIdOf = ({ body }: Entity<'User'>): string => body.accountId ?? BOOTSTRAP_ACCOUNT_ID

/** The user of the account that the request names; undefined when it names none, or one in which the login has no user. */
export function namedUser(
  users: readonly Entity<'User'>[],
  { headers }: Pick<FastifyRequest, 'headers'>,
): Entity<'User'> | undefined {
  return users.find((user) => accountIdOf(user) === headers[ACCOUNT_HEADER])
}

/**
 * The user that a request acts for. A login of several accounts must name one, so that nothing is ever done in the account of
 * another tab.
 * @param users those of the login who may sign in. @throws Problem ACCOUNT_REQUIRED
 */
export function actingUser(users: readonly Entity<'User'>[], request: Pick<FastifyRequest, 'headers'>): Entity<'User'> {
  const [only, ...others] = users
  const isNamed = request.headers[ACCOUNT_HEADER] !== undefined
  const user = isNamed ? namedUser(users, request) : others.length === 0 ? only : undefined
  if (user) return user
  const detail = isNamed
    ? `You do not belong to the account that the header ${ACCOUNT_HEADER} names`
    : `You belong to several accounts: name one in the header ${ACCOUNT_HEADER}`
  throw new Problem('ACCOUNT_REQUIRED', detail)
}
