import type { ProductIndex } from '../../infra/product-index/port.ts'
import { Problem } from '../domain/errors.ts'
import type { ShowIds } from '../domain/show-id.ts'
import type { Snapshot } from '../domain/snapshot.ts'

/**
 * Who sells and who pays for the ad that a showId was given for.
 * @throws Problem (400) when the showId is not ours or of a display ad.
 */
export async function emissionInfo(
  showId: string,
  deps: { showIds: ShowIds; index: ProductIndex; snapshot: Snapshot },
) {
  const claims = deps.showIds.open(showId)
  const refuse = (code: 'INVALID_SHOW_ID' | 'WRONG_KIND', message: string) =>
    new Problem(code, message, { errors: [{ path: '/showId', message }] })
  if (!claims) throw refuse('INVALID_SHOW_ID', 'was not made by this service')
  if (claims.kind !== 'SPONSORED') throw refuse('WRONG_KIND', 'is of a display ad')
  const offers = await deps.index.get(claims.shopId, [claims.adId])
  const product = offers.find(({ offer }) => offer.id === claims.adId)
  // History still names an account that has been deleted since.
  const account = deps.snapshot.getEver('Account', claims.accountId)?.body
  return {
    sellerName: product?.offer.externalSellerName ?? null,
    advertiserName: account?.name ?? '',
    companyName: account?.companyName ?? '',
    taxNumber: account?.taxNumber ?? '',
    sellerIds: account?.sellerIds ?? [],
  }
}
