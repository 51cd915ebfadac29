import type { ProductIndex } from '../../../infra/product-index/port.ts'
import { SELLERS_DEFAULT, Sellers, SellersQuery } from '../../../schemas/http/panel/shops/sellers.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import type { Access } from '../rights/access.ts'
import { type Authorize, principalOf } from '../rights/auth.ts'
import { sellersOf } from './products.ts'

export interface SellersAppDeps {
  snapshot: Snapshot
  access: Access
  authorize: Authorize
  index: ProductIndex
}

/** GET /v1/panel/sellers: the sellers whose products are in the feeds of a shop. */
export function sellersApp(server: HttpServer, { snapshot, access, authorize, index }: SellersAppDeps): void {
  server.get(
    '/v1/panel/sellers',
    {
      onRequest: authorize('panel'),
      schema: {
        operationId: 'listSellers',
        summary: 'List the sellers of a shop',
        description:
          'The sellers of the products of the shop. Advertisers see those whose products they may advertise.',
        querystring: SellersQuery,
        response: { 200: Sellers },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const { shopId, q = '', ids = null, limit = SELLERS_DEFAULT } = request.query
      access.need(principal, 'Shop', shopId)
      const allowed = sellersOf(snapshot, principal)
      const anyOf = allowed === null ? ids : allowed.filter((id) => ids === null || ids.includes(id))
      const visible = allowed === null ? [] : [{ kind: 'sellers' as const, anyOf: [...allowed] }]
      const [sellers, productCount] = await Promise.all([
        index.sellers({ shopId, contains: q.trim(), anyOf, limit }),
        index.count(shopId, visible),
      ])
      return { items: sellers.map(({ sellerId, offers }) => ({ sellerId, productCount: offers })), productCount }
    },
  )
}
