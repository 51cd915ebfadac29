import type { EventLog } from '../../infra/event-log/port.ts'
import type { HttpServer } from '../http.ts'
import type { Access } from './access.ts'
import { accounts } from './accounts.ts'
import { adFormats } from './ad-formats.ts'
import { adUnits } from './ad-units.ts'
import type { Authorize } from './auth.ts'
import { campaigns } from './campaigns.ts'
import { feedEntities } from './feed-entities.ts'
import { moderationRoutes } from './moderation.ts'
import { placements } from './placements.ts'
import type { ProductReader } from './product-reader.ts'
import { productUpdateRoutes } from './product-updates.ts'
import { readRoutes, resourceRoutes } from './resource.ts'
import type { SecurityLog } from './security-log/security-log.ts'
import { shops } from './shops.ts'
import { signingKeyRoutes } from './signing-keys.ts'
import { slotRoutes } from './slots.ts'
import type { Registry } from './store.ts'
import { technicalSlots } from './technical-slots.ts'
import { tokenRoutes } from './tokens.ts'

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
