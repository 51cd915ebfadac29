import type { FindVersions } from '../../infra/analytics/queries/campaign-versions.ts'
import type { Appender, EventLog } from '../../infra/event-log/port.ts'
import type { HttpServer } from '../http/server.ts'
import { accounts } from './access/accounts.ts'
import { tokenRoutes } from './access/tokens.ts'
import { bulkChangeRoutes } from './campaigns/bulk-changes.ts'
import { campaigns } from './campaigns/campaigns.ts'
import { campaignHistoryRoutes } from './campaigns/history.ts'
import { moderationRoutes } from './campaigns/moderation.ts'
import { feedEntities } from './feeds/feed-entities.ts'
import type { IndexedUpTo } from './feeds/runs/run-outcome.ts'
import type { ProductReader } from './products/product-reader.ts'
import { productUpdateRoutes } from './products/product-updates.ts'
import { reportViewRoutes } from './reports/report-views.ts'
import { type ResourceDeps, readRoutes, resourceRoutes } from './resources/resource.ts'
import type { Registry } from './resources/store.ts'
import type { Access } from './rights/access.ts'
import type { Authorize } from './rights/auth.ts'
import type { SecurityLog } from './security-log/security-log.ts'
import { shops } from './shops/shops.ts'
import { signingKeyRoutes } from './shops/signing-keys.ts'
import { adFormats } from './slots/ad-formats.ts'
import { adUnits, placements } from './slots/ad-units.ts'
import { slotRoutes, technicalSlots } from './slots/slots.ts'

export interface RegistryAppDeps {
  registry: Registry
  log: EventLog
  productWriter: Appender
  access: Access
  authorize: Authorize
  productReader: ProductReader
  /** Micros billed to each campaign so far, in the order of the ids. Rejects with CountersUnavailable. */
  spendOf: (campaignIds: readonly string[]) => Promise<number[]>
  findVersions: FindVersions
  now: () => number
  uuid: () => string
  randomBytes: (size: number) => Buffer
  securityLog: SecurityLog
  /** Time between two fetches of a feed. */
  feedIntervalMs: number
  indexedUpTo: IndexedUpTo
}

/** The management API of entities, technical ad units and product updates. For `server.register`. */
export function registryApp(deps: RegistryAppDeps) {
  const {
    registry,
    log,
    productWriter,
    access,
    authorize,
    productReader,
    spendOf,
    findVersions,
    now,
    uuid,
    randomBytes,
    securityLog,
    feedIntervalMs,
    indexedUpTo,
  } = deps
  const { snapshot } = registry
  const resource: ResourceDeps = { registry, access, authorize, uuid, securityLog }
  return async (server: HttpServer): Promise<void> => {
    // Response schemas are documentation: answers are built field by field, so no serializer can fail on them.
    server.setSerializerCompiler(() => JSON.stringify)
    resourceRoutes(server, resource, accounts(snapshot))
    tokenRoutes(server, { ...resource, now, randomBytes })
    resourceRoutes(server, resource, shops({ snapshot, access }))
    signingKeyRoutes(server, { ...resource, now, randomBytes })
    resourceRoutes(server, resource, placements({ snapshot, access }))
    resourceRoutes(server, resource, adFormats({ snapshot, access }))
    resourceRoutes(server, resource, adUnits({ snapshot, access }))
    resourceRoutes(server, resource, feedEntities({ access, snapshot, feedIntervalMs, indexedUpTo }))
    const campaignResource = campaigns({ snapshot, access, now, uuid, spendOf })
    resourceRoutes(server, resource, campaignResource)
    bulkChangeRoutes(server, { ...resource, campaigns: campaignResource })
    campaignHistoryRoutes(server, { ...resource, log, findVersions })
    moderationRoutes(server, { ...resource, views: campaignResource.views, now })
    slotRoutes(server, resource)
    readRoutes(server, resource, technicalSlots)
    reportViewRoutes(server, resource)
    productUpdateRoutes(server, { productWriter, access, authorize, productReader, now })
  }
}
