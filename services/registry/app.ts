import type { EventLog } from '../../infra/event-log/port.ts'
import type { HttpServer } from '../http/server.ts'
import type { Access } from './access/access.ts'
import { accounts } from './access/accounts.ts'
import type { Authorize } from './access/auth.ts'
import type { SecurityLog } from './access/security-log/security-log.ts'
import { tokenRoutes } from './access/tokens.ts'
import { campaigns } from './campaigns/campaigns.ts'
import { moderationRoutes } from './campaigns/moderation.ts'
import { feedEntities } from './feeds/feed-entities.ts'
import type { ProductReader } from './products/product-reader.ts'
import { productUpdateRoutes } from './products/product-updates.ts'
import { readRoutes, resourceRoutes } from './resources/resource.ts'
import type { Registry } from './resources/store.ts'
import { placements } from './shops/placements.ts'
import { shops } from './shops/shops.ts'
import { signingKeyRoutes } from './shops/signing-keys.ts'
import { adFormats } from './slots/ad-formats.ts'
import { adUnits } from './slots/ad-units.ts'
import { slotRoutes } from './slots/slots.ts'
import { technicalSlots } from './slots/technical-slots.ts'

export interface RegistryAppDeps {
  registry: Registry
  log: EventLog
  access: Access
  authorize: Authorize
  productReader: ProductReader
  /** Micros billed to each campaign so far, in the order of the ids. Rejects with CountersUnavailable. */
  spendOf: (campaignIds: readonly string[]) => Promise<number[]>
  now: () => number
  uuid: () => string
  randomBytes: (size: number) => Buffer
  securityLog: SecurityLog
}

/** The management API of entities, technical slots and product updates. For `server.register`. */
export function registryApp(deps: RegistryAppDeps) {
  const { snapshot } = deps.registry
  const parts = { ...deps, snapshot }
  return async (server: HttpServer): Promise<void> => {
    // Response schemas document; answers are built field by field, and need no filter that could fail on them.
    server.setSerializerCompiler(() => JSON.stringify)
    resourceRoutes(server, deps, accounts(snapshot))
    tokenRoutes(server, deps)
    resourceRoutes(server, deps, shops(parts))
    signingKeyRoutes(server, deps)
    resourceRoutes(server, deps, placements(parts))
    resourceRoutes(server, deps, adFormats(parts))
    resourceRoutes(server, deps, adUnits(parts))
    resourceRoutes(server, deps, feedEntities(parts))
    const ofCampaigns = campaigns(parts)
    resourceRoutes(server, deps, ofCampaigns)
    moderationRoutes(server, { ...deps, views: ofCampaigns.views })
    slotRoutes(server, deps)
    readRoutes(server, deps, technicalSlots)
    productUpdateRoutes(server, deps)
  }
}
