import { isDeepStrictEqual } from 'node:util'
import type { Account } from '../../schemas/records/accounts.ts'
import type { Campaign, RegistryEntry } from '../../schemas/records/entities.ts'
import type { ProductOffer } from '../../schemas/records/records.ts'
import { PromoterIndex } from '../../services/domain/campaign/promoter-index.ts'
import type { Entity, Snapshot } from '../../services/domain/snapshot.ts'

export interface PromotionBook {
  /** The sorted ids of the campaigns that promote an offer now. */
  promotersOf(offer: ProductOffer): string[]
  /** Every campaign that these entries concern, including deleted ones: changed campaigns, and all campaigns of changed accounts. */
  concernedBy(entries: readonly RegistryEntry[]): Entity<'Campaign'>[]
  /** How many changes since the book was made can affect what a campaign promotes. */
  changes(): number
  /** The number of the campaign's last such change; 0 when it has none. */
  lastChangeOf(campaignId: string): number
  /** Stops following the registry. */
  close(): void
}

/** Indexes the campaigns of the registry by what they promote. A change of one campaign costs no work on the others. */
export function createPromotionBook(snapshot: Snapshot): PromotionBook {
  const promoters = new PromoterIndex()
  const byAccount = new Map<string, Set<string>>()
  const lastChanges = new Map<string, number>()
  let changes = 0

  function file({ id, body, deletedAt }: Entity<'Campaign'>): void {
    if (deletedAt === null) promoters.set({ id, campaign: body, account: accountOf(snapshot, body) })
    else promoters.delete(id)
  }

  function add(campaign: Entity<'Campaign'>): void {
    const { accountId } = campaign.body
    const ofAccount = byAccount.get(accountId) ?? new Set()
    byAccount.set(accountId, ofAccount.add(campaign.id))
    file(campaign)
  }

  function noteChange(campaignId: string): void {
    changes += 1
    lastChanges.set(campaignId, changes)
  }

  function ofAccount(accountId: string): Entity<'Campaign'>[] {
    return [...(byAccount.get(accountId) ?? [])].map((id) => snapshot.getEver('Campaign', id)!)
  }

  for (const campaign of snapshot.allEver('Campaign')) add(campaign)
  const close = snapshot.onChange((entry, before) => {
    if (entry.kind === 'Account' && !(before?.kind === 'Account' && sameOwner(before, entry))) {
      for (const campaign of ofAccount(entry.id)) {
        file(campaign)
        noteChange(campaign.id)
      }
    }
    if (entry.kind !== 'Campaign') return
    if (before?.kind === 'Campaign') {
      if (sameProducts(before, entry)) return
      byAccount.get(before.body.accountId)?.delete(entry.id)
    }
    add(entry)
    noteChange(entry.id)
  })

  return {
    promotersOf: (offer) => promoters.promotersOf(offer),
    concernedBy(entries) {
      const concerned = new Set<Entity<'Campaign'>>()
      for (const { kind, id } of entries) {
        const campaign = kind === 'Campaign' ? snapshot.getEver('Campaign', id) : undefined
        if (campaign) concerned.add(campaign)
        if (kind === 'Account') for (const each of ofAccount(id)) concerned.add(each)
      }
      return [...concerned]
    },
    changes: () => changes,
    lastChangeOf: (campaignId) => lastChanges.get(campaignId) ?? 0,
    close,
  }
}

export const accountOf = (snapshot: Snapshot, campaign: Campaign): Account | null =>
  snapshot.body('Account', campaign.accountId) ?? null

/** Whether everything in a campaign that decides what it promotes is the same. */
function sameProducts(a: Entity<'Campaign'>, b: Entity<'Campaign'>): boolean {
  const deciding = ({ body, deletedAt }: Entity<'Campaign'>) => {
    const { accountId, shopId, kind, productIds, productRule } = body
    return [deletedAt !== null, accountId, shopId, kind, productIds, productRule]
  }
  return isDeepStrictEqual(deciding(a), deciding(b))
}

/** Whether everything in an account that decides what its campaigns promote is the same. */
function sameOwner(a: Entity<'Account'>, b: Entity<'Account'>): boolean {
  const deciding = ({ body, deletedAt }: Entity<'Account'>) => [deletedAt !== null, body.kind, body.sellerIds]
  return isDeepStrictEqual(deciding(a), deciding(b))
}
