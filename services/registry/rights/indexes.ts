import type { EntityBodies, EntityKind } from '../../../schemas/records/entities.ts'
import type { EntityIndex } from '../../domain/entity-index.ts'

/** Finds all entities of a kind, under the empty key. */
export const everyOf = indexesOf(
  [
    ...(['Account', 'Token', 'Shop', 'Placement', 'AdUnit', 'TechnicalSlot', 'Feed', 'FeedRun'] as const),
    ...(['Campaign', 'AdFormat', 'Image', 'User', 'SigningKey', 'ReportView'] as const),
  ],
  () => [''],
)

/** Finds entities by their shop. */
export const inShop = indexesOf(
  ['Placement', 'AdUnit', 'TechnicalSlot', 'Feed', 'FeedRun', 'Campaign', 'AdFormat', 'SigningKey'],
  ({ shopId }) => [shopId],
)

/** Finds entities by their account. Operators without an account are not found. */
export const ofAccount = {
  ...indexesOf(['Token', 'Shop', 'TechnicalSlot', 'Campaign', 'User'], ({ accountId }) =>
    accountId === null ? [] : [accountId],
  ),
  ...indexesOf(['Image'], ({ accountIds }) => accountIds),
}

/** Finds entities by their user. */
export const ofUser = indexesOf(['ReportView'], ({ userId }) => [userId])

function indexesOf<K extends EntityKind>(
  kinds: readonly K[],
  keysOf: (body: EntityBodies[K]) => readonly string[],
): { readonly [Kind in K]: EntityIndex<Kind> } {
  return Object.fromEntries(kinds.map((kind) => [kind, { kind, keysOf }])) as never
}
