import type { EntityKind, RegistryEntry } from '../../../schemas/records/entities.ts'
import { Problem } from '../../domain/errors.ts'
import { type Limits, limitSettings } from '../../domain/limits.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { nouns } from '../rights/access.ts'
import { accountOf } from '../rights/account-of.ts'

/** The limit of each kind that accounts create. Feed runs have limits of their own, and only operators create accounts. */
const limitOf = {
  Campaign: 'accountCampaigns',
  Shop: 'accountShops',
  Placement: 'accountPlacements',
  AdUnit: 'accountAdUnits',
  TechnicalSlot: 'accountTechnicalSlots',
  AdFormat: 'accountAdFormats',
  Feed: 'accountFeeds',
  User: 'accountUsers',
  Token: 'accountTokens',
  SigningKey: 'accountSigningKeys',
  Image: 'accountImages',
} as const satisfies Partial<Record<EntityKind, keyof Limits>>

type LimitedKind = keyof typeof limitOf
const isLimited = (kind: EntityKind): kind is LimitedKind => kind in limitOf

const MIB = 1024 * 1024

export interface EntityLimits {
  /** @param accountId null for operators without an account, who share one limit. @throws Problem CONFLICT when the limit is reached. */
  checkRoom(kind: LimitedKind, accountId: string | null): void
  /** Checks the writes of one batch in turn. For each, the snapshot must show the drafts of the writes before it. */
  beginBatch(): {
    /** Counts new entities, and deleted ones no longer. @throws Problem CONFLICT over a limit; then the counts stay as they were. */
    take(entries: readonly RegistryEntry[]): void
  }
}

/**
 * Limits how many entities an account may have. Deleted ones do not count.
 * @param snapshot must be caught up: a checkpoint may name a part of a shop before the shop, which tells its account.
 */
export function createEntityLimits(snapshot: Snapshot, limits: Limits): EntityLimits {
  const counts = new Map<string, number>()
  const keyOf = (kind: LimitedKind, accountId: string | null) => `${kind} ${accountId}`

  function count(entry: RegistryEntry, added: 1 | -1): void {
    if (!isLimited(entry.kind) || entry.kind === 'Image') return
    const key = keyOf(entry.kind, accountOf(snapshot, entry))
    counts.set(key, (counts.get(key) ?? 0) + added)
  }
  for (const kind of Object.keys(limitOf) as LimitedKind[]) for (const entry of snapshot.all(kind)) count(entry, 1)
  snapshot.onChange((entry, before) => {
    if (before?.deletedAt === null) count(before, -1)
    if (entry.deletedAt === null) count(entry, 1)
  })

  function checkCount(kind: LimitedKind, count: number): void {
    const limit = limitOf[kind]
    if (count > limits[limit]) throw full(`${limits[limit]} ${nouns[kind]}s`, limit)
  }

  /** Accounts that uploaded the same image share it, and it counts for each of them. */
  function checkImages(accountId: string | null): void {
    let known = 0
    let bytes = 0
    for (const { body } of snapshot.all('Image')) {
      if (accountId === null || !body.accountIds.includes(accountId)) continue
      known += 1
      bytes += body.bytes
    }
    checkCount('Image', known + 1)
    if (bytes >= limits.accountImagesMib * MIB)
      throw full(`${limits.accountImagesMib} MiB of images`, 'accountImagesMib')
  }

  return {
    checkRoom(kind, accountId) {
      if (kind === 'Image') checkImages(accountId)
      else checkCount(kind, (counts.get(keyOf(kind, accountId)) ?? 0) + 1)
    },
    beginBatch() {
      let taken: ReadonlyMap<string, number> = new Map()
      return {
        take(entries) {
          const added = new Map(taken)
          for (const entry of entries) {
            const { kind, id } = entry
            if (!isLimited(kind)) continue
            if (entry.kind === 'Image') {
              const owners = snapshot.body('Image', id)?.accountIds ?? []
              for (const accountId of entry.body.accountIds) if (!owners.includes(accountId)) checkImages(accountId)
              continue
            }
            const change = Number(entry.deletedAt === null) - Number(snapshot.get(kind, id) !== undefined)
            if (change === 0) continue
            const key = keyOf(kind, accountOf(snapshot, entry))
            added.set(key, (added.get(key) ?? 0) + change)
            if (change > 0) checkCount(kind, (counts.get(key) ?? 0) + added.get(key)!)
          }
          taken = added
        },
      }
    },
  }
}

function full(what: string, limit: keyof Limits): Problem {
  return new Problem(
    'CONFLICT',
    `The account already has its maximum of ${what}: delete one first (${limitSettings[limit].setting})`,
  )
}
