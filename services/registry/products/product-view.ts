import type { Counters } from '../../../infra/counters/port.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import type { IndexedProduct } from '../../../infra/product-index/port.ts'
import { type NamingCampaign, whyNot } from '../../domain/campaign/why-not.ts'
import { isAvailableAt } from '../../domain/catalogue/offer.ts'
import { systemProductId } from '../../domain/catalogue/system-product-id.ts'
import { dailySpendKey, dayIn, spendKey } from '../../domain/money/counter-keys.ts'
import { fromMicros } from '../../domain/money/money.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { toIso } from '../resources/conversions.ts'
import type { Access } from '../rights/access.ts'
import type { Principal } from '../rights/auth.ts'
import { inShop } from '../rights/indexes.ts'

/** Products as the panel shows them, with the campaigns that the caller may see, and the reasons why they cannot be shown. */
export function createProductView(deps: { snapshot: Snapshot; access: Access; counters: Counters; now: () => number }) {
  const { snapshot, access, counters, now } = deps

  async function namingCampaigns(
    shop: Entity<'Shop'>,
    ids: ReadonlySet<string>,
    principal: Principal,
  ): Promise<Map<string, NamingCampaign>> {
    const visible = [...ids]
      .flatMap((id) => access.find(principal, 'Campaign', id) ?? [])
      .filter(({ body }) => body.archivedAt === null)
    const day = dayIn(shop.body.timeZone, now())
    const keys = visible.flatMap(({ id }) => {
      const shard = shardOf(id, counters.shards)
      return [spendKey(shard, id), dailySpendKey(shard, id, day)]
    })
    const spent = await counters.read(keys)
    const naming = new Map<string, NamingCampaign>()
    for (const [i, { id, body }] of visible.entries()) {
      const account = snapshot.body('Account', body.accountId)
      const spend = { totalMicros: spent[2 * i]!, todayMicros: spent[2 * i + 1]! }
      if (account) naming.set(id, { id, body, account, spend })
    }
    return naming
  }

  return async (shop: Entity<'Shop'>, products: readonly IndexedProduct[], principal: Principal) => {
    const listed = campaignsListing(snapshot, shop.id, new Set(products.map(({ offer }) => offer.id)))
    const idsOf = ({ offer, campaignIds }: IndexedProduct) => [
      ...new Set([...campaignIds, ...(listed.get(offer.id) ?? [])]),
    ]
    const naming = await namingCampaigns(shop, new Set(products.flatMap(idsOf)), principal)
    return products.map((product) => {
      const campaigns = idsOf(product).flatMap((id) => naming.get(id) ?? [])
      return view(product, campaigns, { shop, now: now() })
    })
  }
}

/** Campaigns that list these ids, even if they may not promote them. The index knows only campaigns that may. */
function campaignsListing(snapshot: Snapshot, shopId: string, ids: ReadonlySet<string>): Map<string, string[]> {
  const listing = new Map<string, string[]>()
  for (const { id, body } of snapshot.under(inShop.Campaign, shopId)) {
    if (body.kind !== 'SPONSORED') continue
    for (const productId of body.productIds ?? []) {
      if (ids.has(productId)) listing.set(productId, [...(listing.get(productId) ?? []), id])
    }
  }
  return listing
}

function view(
  { offer }: IndexedProduct,
  campaigns: readonly NamingCampaign[],
  { shop, now }: { shop: Entity<'Shop'>; now: number },
) {
  return {
    shopId: offer.shopId,
    feedId: offer.feedId,
    id: offer.id,
    systemProductId: systemProductId(offer.shopId, offer.id),
    productId: offer.productId,
    title: offer.title,
    link: offer.link,
    imageLink: offer.imageLink,
    additionalImageLinks: offer.additionalImageLinks ?? [],
    price: fromMicros(offer.priceMicros),
    salePrice: offer.salePriceMicros === null ? null : fromMicros(offer.salePriceMicros),
    currency: offer.currency,
    isAvailable: isAvailableAt(offer, now),
    availability: offer.availability,
    brand: offer.brand,
    gtin: offer.gtin,
    mpn: offer.mpn,
    itemGroupId: offer.itemGroupId,
    productTypes: offer.productTypes,
    condition: offer.condition,
    externalSellerId: offer.externalSellerId,
    externalSellerName: offer.externalSellerName,
    labels: offer.labels,
    updatedAt: toIso(offer.updatedAt),
    expiresAt: offer.expiresAt == null ? null : toIso(offer.expiresAt),
    campaignIds: campaigns.map(({ id }) => id),
    whyNot: whyNot(offer, campaigns, { shop: shop.body, now }),
  }
}
