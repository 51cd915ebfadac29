import type { ProductIndex } from '../../../infra/product-index/port.ts'
import { EmissionInfoAnswer, EmissionInfoBody } from '../../../schemas/http/selection.ts'
import type { AdKind, ShowIdClaims } from '../../../schemas/records/events.ts'
import type { RequestLimits } from '../../callers/request-limits.ts'
import { fieldProblem } from '../../domain/errors.ts'
import type { ShowIds } from '../../domain/show-id/show-id.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'

export interface EmissionInfoDeps {
  showIds: ShowIds
  index: ProductIndex
  snapshot: Snapshot
  limits: RequestLimits
}

const endpoints = {
  SPONSORED: { path: '/v1/dsa/emissionInfo', operationId: 'getSponsoredEmissionInfo' },
  DISPLAY: { path: '/v1/banner/dsa/emissionInfo', operationId: 'getDisplayEmissionInfo' },
} as const

export function emissionInfoRoute(server: HttpServer, kind: AdKind, deps: EmissionInfoDeps): void {
  const { path, operationId } = endpoints[kind]
  const summary = `Read who sells and who pays for a ${kind.toLowerCase()} ad`
  const schema = { operationId, summary, body: EmissionInfoBody, response: { 200: EmissionInfoAnswer } }
  server.post(path, { schema }, async (request) => {
    const admit = (shopId: string) => deps.limits.admitAds(request, [{ shopId, ads: 1 }])
    return emissionInfo({ showId: request.body.showId, kind, admit }, deps)
  })
}

/**
 * Who sells and who pays for the ad that a showId was made for.
 * @throws Problem (400) when this service did not make the showId, or when the ad is of the other kind.
 */
async function emissionInfo(
  { showId, kind, admit }: { showId: string; kind: AdKind; admit: (shopId: string) => void },
  deps: EmissionInfoDeps,
) {
  const claims = deps.showIds.open(showId)
  const refuse = (code: 'INVALID_SHOW_ID' | 'WRONG_KIND', message: string) =>
    fieldProblem(code, [{ path: '/showId', message }])
  if (!claims) throw refuse('INVALID_SHOW_ID', 'was not made by this service')
  if (claims.kind !== kind) throw refuse('WRONG_KIND', `belongs to a ${claims.kind} ad`)
  admit(claims.shopId)
  // An account that has been deleted since is still named.
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
  const [product] = await index.get(shopId, [adId])
  return product?.offer.externalSellerName ?? ''
}
