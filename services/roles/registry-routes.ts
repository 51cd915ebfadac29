import type { Audit } from '../../infra/analytics/audit.ts'
import type { Engines } from '../../infra/engines.ts'
import type { Account } from '../../schemas/entities.ts'
import { spendKey } from '../domain/counter-keys.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { HttpServer } from '../http.ts'
import { panelApp } from '../panel/app.ts'
import { readWhole } from '../read-whole.ts'
import { createAccess } from '../registry/access.ts'
import { registryApp } from '../registry/app.ts'
import { auditApp } from '../registry/audit.ts'
import { createAuthorize } from '../registry/auth.ts'
import { type DeadLettersDeps, deadLettersApp } from '../registry/dead-letters.ts'
import { explainApp } from '../registry/explain/app.ts'
import { createPseudonyms } from '../registry/explain/pseudonyms.ts'
import { feedsApp } from '../registry/feeds/app.ts'
import type { FeedRuns } from '../registry/feeds/feed-runs.ts'
import { imagesApp } from '../registry/images/app.ts'
import type { ImageFiles } from '../registry/images/files.ts'
import { importApp } from '../registry/import/app.ts'
import { invalidTrafficApp } from '../registry/invalid-traffic/app.ts'
import { productCountApp } from '../registry/product-count.ts'
import type { ProductReader } from '../registry/product-reader.ts'
import { productsApp } from '../registry/products.ts'
import { reportsApp } from '../registry/reports/app.ts'
import { returnsApp } from '../registry/returns.ts'
import { createSealing } from '../registry/second-factor/sealing.ts'
import { createSecondFactors } from '../registry/second-factor/second-factors.ts'
import { securityLogApp } from '../registry/security-log/app.ts'
import type { SecurityLog } from '../registry/security-log/security-log.ts'
import { createSessions } from '../registry/sessions/sessions.ts'
import type { Registry } from '../registry/store.ts'
import type { TokenUse } from '../registry/token-use.ts'
import { usersApp } from '../registry/users/app.ts'
import type { PasswordMail } from '../registry/users/password-mail.ts'
import type { PasswordStrength } from '../registry/users/password-strength.ts'
import type { Passwords } from '../registry/users/passwords.ts'
import { visitsApp } from '../registry/visits/app.ts'
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
    spendOf: (campaignIds: readonly string[]) => readWhole(counters, campaignIds.map(spendKey)),
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
