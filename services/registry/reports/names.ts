import { IndexUnavailable, type ProductIndex } from '../../../infra/product-index/port.ts'
import type { ReportDimension } from '../../../schemas/http/panel/reports/reports.ts'
import type { EntityIndex } from '../../domain/entity-index.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { namedProducts } from '../products/named-products.ts'

const entityKinds = {
  shop: 'Shop',
  account: 'Account',
  campaign: 'Campaign',
  adUnit: 'AdUnit',
  placement: 'Placement',
} as const
type EntityDimension = keyof typeof entityKinds
const isOfEntities = (dimension: ReportDimension): dimension is EntityDimension => dimension in entityKinds

/** Whether the values of a dimension are ids, which get a column of names next to them. */
export const isNamed = (dimension: ReportDimension): boolean =>
  isOfEntities(dimension) || isOfProducts(dimension) || dimension === 'banner'

const isOfProducts = (dimension: ReportDimension): boolean =>
  dimension === 'product' || dimension === 'purchasedProduct'

/** The index that has the titles of products. */
export type TitleIndex = Pick<ProductIndex, 'get'>

export type DimensionValues = Partial<Record<ReportDimension, string | null>>
/** Null when there is no name or it is unknown. */
export type NameOf = (dimension: ReportDimension, values: DimensionValues) => string | null

/**
 * Finds names for the rows of a report. Entities keep their names after deletion; products have names while they are in a feed
 * and the index answers.
 * @param onlyShopId the shop of rows that do not name theirs; null when there are several shops.
 */
export async function readNames(
  { snapshot, index }: { snapshot: Snapshot; index: TitleIndex },
  rows: readonly DimensionValues[],
  { dimensions, onlyShopId }: { dimensions: readonly ReportDimension[]; onlyShopId: string | null },
): Promise<NameOf> {
  const shopOf = (values: DimensionValues) => values.shop ?? onlyShopId
  const ofProducts = dimensions.filter(isOfProducts)
  const products =
    ofProducts.length > 0 ? await productTitles(index, rows, { ofProducts, shopOf }).catch(nothingWhileAway) : null
  return (dimension, values) => {
    const id = values[dimension]
    if (!id) return null
    if (isOfEntities(dimension)) return snapshot.getEver(entityKinds[dimension], id)?.body.name ?? null
    if (dimension === 'banner') return bannerName(snapshot, id)
    return products?.get(`${shopOf(values)}/${id}`) ?? null
  }
}

/** Titles by shop and by the product's id in the feed. */
async function productTitles(
  index: TitleIndex,
  rows: readonly DimensionValues[],
  of: { ofProducts: readonly ReportDimension[]; shopOf: (values: DimensionValues) => string | null },
): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  for (const [shopId, members] of Map.groupBy(rows, of.shopOf)) {
    if (shopId === null) continue
    const ids = members.flatMap((row) => of.ofProducts.flatMap((dimension) => row[dimension] ?? []))
    const found = await namedProducts(index, shopId, ids)
    for (const { offer } of found) titles.set(`${shopId}/${offer.id}`, offer.title)
  }
  return titles
}

function nothingWhileAway(error: unknown): null {
  if (error instanceof IndexUnavailable) return null
  throw error
}

const byBanner: EntityIndex<'Campaign'> = { kind: 'Campaign', keysOf: ({ banners }) => banners.map(({ id }) => id) }

/** The title on the banner and its format. Banners of one campaign often differ in nothing else. */
function bannerName(snapshot: Snapshot, id: string): string | null {
  const [campaign] = snapshot.underEver(byBanner, id)
  const banner = campaign?.body.banners.find((each) => each.id === id)
  if (!banner) return null
  const title = banner.textFields.find(({ type }) => type === 'TITLE')?.value
  const format = snapshot.getEver('AdFormat', banner.adFormatId)?.body.name
  return [title, format].filter(Boolean).join(' · ') || null
}
