import { findVersionsIn } from '../../infra/analytics/queries/campaign-versions.ts'
import { shardOf } from '../../infra/counters/shards.ts'
import type { Engines } from '../../infra/engines.ts'
import type { Appender } from '../../infra/event-log/port.ts'
import type { Account } from '../../schemas/records/accounts.ts'
import type { Routes } from '../api/api.ts'
import { spendKey } from '../domain/money/counter-keys.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { HttpServer } from '../http/server.ts'
import { panelApp } from '../panel/app.ts'
import { createSealing } from '../registry/access/second-factor/sealing.ts'
import { createSecondFactors } from '../registry/access/second-factor/second-factors.ts'
import { createSessions } from '../registry/access/sessions/sessions.ts'
import type { TokenUse } from '../registry/access/token-use.ts'
import { usersApp } from '../registry/access/users/app.ts'
import type { PasswordMail } from '../registry/access/users/password-mail.ts'
import type { PasswordStrength } from '../registry/access/users/password-strength.ts'
import type { Passwords } from '../registry/access/users/passwords.ts'
import { registryApp } from '../registry/app.ts'
import { productCountApp } from '../registry/campaigns/product-count.ts'
import { erasuresApp } from '../registry/erasures/app.ts'
import type { ErasureStore } from '../registry/erasures/erasures.ts'
import { explainApp } from '../registry/explain/app.ts'
import { createPseudonyms } from '../registry/explain/pseudonyms.ts'
import { exportsApp } from '../registry/exports/app.ts'
import { feedsApp } from '../registry/feeds/app.ts'
import type { FeedRuns } from '../registry/feeds/runs/feed-runs.ts'
import type { IndexedUpTo } from '../registry/feeds/runs/run-outcome.ts'
import { imagesApp } from '../registry/images/app.ts'
import type { ImageFiles } from '../registry/images/files.ts'
import { importApp } from '../registry/import/app.ts'
import { returnsApp } from '../registry/import/returns.ts'
import { invalidTrafficApp } from '../registry/invalid-traffic/app.ts'
import { type AuditAppDeps, auditApp } from '../registry/operations/audit.ts'
import { type DeadLettersDeps, deadLettersApp } from '../registry/operations/dead-letters.ts'
import { overviewApp } from '../registry/overview/app.ts'
import type { ProductReader } from '../registry/products/product-reader.ts'
import { productsApp } from '../registry/products/products.ts'
import { sellersApp } from '../registry/products/sellers.ts'
import { createAccountTurns } from '../registry/reports/account-turns.ts'
import { reportsApp } from '../registry/reports/app.ts'
import type { Registry } from '../registry/resources/store.ts'
import { createAccess } from '../registry/rights/access.ts'
import { createAuthorize } from '../registry/rights/auth.ts'
import { securityLogApp } from '../registry/security-log/app.ts'
import type { SecurityLog } from '../registry/security-log/security-log.ts'
import { emptySearchesApp } from '../registry/shops/empty-searches.ts'
import { synonymsApp } from '../registry/shops/synonyms.ts'
import { visitsApp } from '../registry/visits/app.ts'

export interface RegistryRoutesDeps extends Engines {
  registry: Registry
  snapshot: Snapshot
  runs: FeedRuns
  productWriter: Appender
  productReader: ProductReader
  images: ImageFiles
  audit: Omit<AuditAppDeps, 'authorize'>
  erasures: ErasureStore
  deadLetters: Omit<DeadLettersDeps, 'authorize'>
  deadLettersWaiting: () => Promise<number>
  /** Age of the oldest unprocessed event; 0 when there is none. */
  processingDelayMs: () => Promise<number>
  bootstrapToken: string | null
  /** Keys that sign sessions, the newest first. */
  sessionKeys: readonly Buffer[]
  passwords: Passwords
  strength: PasswordStrength
  passwordMail: PasswordMail
  tokenUse: TokenUse
  securityLog: SecurityLog
  publicUrl: string
  /** Roles whose users must have a second factor. */
  secondFactorRequiredOf: ReadonlySet<Account['kind']>
  /** Time between two fetches of a feed. */
  feedIntervalMs: number
  indexedUpTo: IndexedUpTo
  now: () => number
  uuid: () => string
  randomBytes: (size: number) => Buffer
}

/** The routes of the management API, product updates and technical ad units. Each app gets its dependencies by name. */
export function registryRoutes(deps: RegistryRoutesDeps): Routes[] {
  const { registry, log, analytics, index, counters, snapshot, runs, images, audit, deadLetters } = deps
  const { productWriter, productReader, tokenUse, securityLog } = deps
  const { bootstrapToken, sessionKeys, passwords, strength, passwordMail } = deps
  const { publicUrl, secondFactorRequiredOf, feedIntervalMs, indexedUpTo, now, uuid, randomBytes } = deps
  const access = createAccess(snapshot)
  const sessions = createSessions({ snapshot, keys: sessionKeys, publicUrl, now, uuid })
  const sealing = createSealing({ keys: sessionKeys, randomBytes })
  const secondFactors = createSecondFactors({ registry, sealing, requiredOf: secondFactorRequiredOf, now })
  const pseudonyms = createPseudonyms(sessionKeys[0]!)
  const authorize = createAuthorize({
    snapshot,
    bootstrapToken,
    sessions,
    noteUse: tokenUse.note,
    lacksSecondFactor: secondFactors.isMissing,
    now,
  })
  const spendOf = (campaignIds: readonly string[]) =>
    counters.read(campaignIds.map((id) => spendKey(shardOf(id, counters.shards), id)))
  return [
    registryApp({
      registry,
      log,
      access,
      authorize,
      productWriter,
      productReader,
      spendOf,
      findVersions: findVersionsIn(analytics),
      securityLog,
      feedIntervalMs,
      indexedUpTo,
      now,
      uuid,
      randomBytes,
    }),
    usersApp({
      registry,
      access,
      authorize,
      sessions,
      sessionKeys,
      passwords,
      strength,
      passwordMail,
      secondFactors,
      sealing,
      securityLog,
      publicUrl,
      now,
      uuid,
      randomBytes,
    }),
    imagesApp({ registry, access, authorize, uuid, securityLog, log, images, publicUrl }),
    async (scope: HttpServer) => {
      const turns = createAccountTurns()
      turns.follow(scope)
      const analytics = turns.inTurns(deps.analytics)
      scope.register(reportsApp({ analytics, snapshot, index, authorize, now }))
      scope.register(explainApp({ analytics, snapshot, authorize, pseudonyms, now }))
      scope.register(visitsApp({ analytics, snapshot, authorize, publicUrl, now }))
      scope.register(exportsApp({ analytics, snapshot, authorize }))
    },
    overviewApp({
      authorize,
      access,
      snapshot,
      analytics,
      index,
      counters,
      deadLetters: deps.deadLettersWaiting,
      processingDelayMs: deps.processingDelayMs,
      now,
    }),
    auditApp({ authorize, ...audit }),
    securityLogApp({ snapshot, authorize, analytics, now }),
    deadLettersApp({ authorize, list: deadLetters.list, replay: deadLetters.replay }),
    importApp({ log, access, authorize, now }),
    returnsApp({ log, access, authorize, now }),
    erasuresApp({ erasures: deps.erasures, analytics, access, authorize, securityLog, now }),
    invalidTrafficApp({ log, analytics, access, authorize, now, uuid }),
    panelApp({ randomBytes }),
    async (scope: HttpServer) => {
      feedsApp(scope, { snapshot, access, authorize, analytics, runs, indexedUpTo })
      sellersApp(scope, { snapshot, access, authorize, index })
      productsApp(scope, { snapshot, access, authorize, index, counters, now })
      emptySearchesApp(scope, { analytics, index, access, authorize, now })
      synonymsApp(scope, { registry, access, authorize, index })
      productCountApp(scope, { access, authorize, index, snapshot, indexedUpTo, now })
    },
  ]
}
