import type { ProductIndex } from '../../../infra/product-index/port.ts'
import type { AdKind, ShowIdClaims } from '../../../schemas/records/events.ts'
import { Problem } from '../../domain/errors.ts'
import type { ShowIds } from '../../domain/show-id/show-id.ts'
import type { Snapshot } from '../../domain/snapshot.ts'

/**
 * Who sells and who pays for the ad of this kind that a showId was given for.
 * @throws Problem (400) when the showId is not ours or of the other kind.
 */
export async function emissionInfo(
  { showId, kind, admit }: { showId: string; kind: AdKind; admit: (shopId: string) => void },
  deps: { showIds: ShowIds; index: ProductIndex; snapshot: Snapshot },
) {
  const claims = deps.showIds.open(showId)
  const refuse = (code: 'INVALID_SHOW_ID' | 'WRONG_KIND', message: string) =>
    new Problem(code, message, { errors: [{ path: '/showId', message }] })
  if (!claims) throw refuse('INVALID_SHOW_ID', 'was not made by this service')
  if (claims.kind !== kind) throw refuse('WRONG_KIND', `is of a ${claims.kind} ad`)
  admit(claims.shopId)
  // History still names an account that has been deleted since.
  const account = deps.snapshot.getEver('Account', claims.accountId)?.body
  return {
    sellerName: kind === 'SPONSORED' ? await sellerOf(claims, deps.index) : '',
    advertiserName: account?.name ?? '',
    companyName: account?.companyName ?? '',
    taxNumber: account?.taxNumber ?? '',
    sellerIds: account?.sellerIds ?? [],
  }
}

async function sellerOf({ shopId, adId }: ShowIdClaims, index: ProductIndex): Promise<string> {
  const offers = await index.get(shopId, [adId])
  const product = offers.find(({ offer }) => offer.id === adId)
  return product?.offer.externalSellerName ?? ''
}
