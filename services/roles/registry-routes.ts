import type { Audit } from '../../infra/analytics/audit.ts'
import type { Engines } from '../../infra/engines.ts'
import type { Account } from '../../schemas/records/accounts.ts'
import { spendKey } from '../domain/money/counter-keys.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { HttpServer } from '../http/server.ts'
import { panelApp } from '../panel/app.ts'
import { createAccess } from '../registry/access/access.ts'
import { createAuthorize } from '../registry/access/auth.ts'
import { createSealing } from '../registry/access/second-factor/sealing.ts'
import { createSecondFactors } from '../registry/access/second-factor/second-factors.ts'
import { securityLogApp } from '../registry/access/security-log/app.ts'
import type { SecurityLog } from '../registry/access/security-log/security-log.ts'
import { createSessions } from '../registry/access/sessions/sessions.ts'
import type { TokenUse } from '../registry/access/token-use.ts'
import { usersApp } from '../registry/access/users/app.ts'
import type { PasswordMail } from '../registry/access/users/password-mail.ts'
import type { PasswordStrength } from '../registry/access/users/password-strength.ts'
import type { Passwords } from '../registry/access/users/passwords.ts'
import { registryApp } from '../registry/app.ts'
import { productCountApp } from '../registry/campaigns/product-count.ts'
import { explainApp } from '../registry/explain/app.ts'
import { createPseudonyms } from '../registry/explain/pseudonyms.ts'
import { feedsApp } from '../registry/feeds/app.ts'
import type { FeedRuns } from '../registry/feeds/runs/feed-runs.ts'
import { imagesApp } from '../registry/images/app.ts'
import type { ImageFiles } from '../registry/images/files.ts'
import { importApp } from '../registry/import/app.ts'
import { returnsApp } from '../registry/import/returns.ts'
import { invalidTrafficApp } from '../registry/invalid-traffic/app.ts'
import { auditApp } from '../registry/operations/audit.ts'
import { type DeadLettersDeps, deadLettersApp } from '../registry/operations/dead-letters.ts'
import type { ProductReader } from '../registry/products/product-reader.ts'
import { productsApp } from '../registry/products/products.ts'
import { reportsApp } from '../registry/reports/app.ts'
import type { Registry } from '../registry/resources/store.ts'
import { visitsApp } from '../registry/visits/app.ts'
import { readComplete } from '../replicas/read-complete.ts'
import type { Routes } from './part.ts'

export interface RegistryRoutesDeps extends Engines {
  registry: Registry
  snapshot: Snapshot
  runs: FeedRuns
  productReader: ProductReader
  images: ImageFiles
  audit: () => Promise<Audit>
  deadLetters: Omit<DeadLettersDeps, 'authorize'>
  bootstrapToken: string | null
  /** That sessions are signed with, the newest first. */
  sessionKeys: readonly Buffer[]
  passwords: Passwords
  strength: PasswordStrength
  passwordMail: PasswordMail
  tokenUse: TokenUse
  securityLog: SecurityLog
  publicUrl: string
  /** Roles whose users need a second factor. */
  secondFactorRequiredOf: ReadonlySet<Account['kind']>
  now: () => number
  uuid: () => string
  randomBytes: (size: number) => Buffer
}

/** The management API, product updates and technical ad units. */
export function registryRoutes(deps: RegistryRoutesDeps): Routes[] {
  const { snapshot, counters } = deps
  const sessions = createSessions({ ...deps, keys: deps.sessionKeys })
  const sealing = createSealing({ ...deps, keys: deps.sessionKeys })
  const secondFactors = createSecondFactors({ ...deps, sealing, requiredOf: deps.secondFactorRequiredOf })
  const shared = {
    ...deps,
    access: createAccess(snapshot),
    sessions,
    sealing,
    secondFactors,
    pseudonyms: createPseudonyms(deps.sessionKeys[0]!),
    authorize: createAuthorize({
      ...deps,
      sessions,
      noteUse: deps.tokenUse.note,
      lacksSecondFactor: secondFactors.isMissing,
    }),
    spendOf: (campaignIds: readonly string[]) => readComplete(counters, campaignIds.map(spendKey)),
  }
  return [
    registryApp(shared),
    usersApp(shared),
    imagesApp(shared),
    reportsApp(shared),
    explainApp(shared),
    visitsApp(shared),
    auditApp(shared),
    securityLogApp(shared),
    deadLettersApp({ ...shared, ...deps.deadLetters }),
    importApp(shared),
    returnsApp(shared),
    invalidTrafficApp(shared),
    panelApp(deps),
    async (scope: HttpServer) => {
      feedsApp(scope, shared)
      productsApp(scope, shared)
      productCountApp(scope, shared)
    },
  ]
}
