import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Analytics } from '../../../infra/analytics/port.ts'
import type { FindVersions } from '../../../infra/analytics/queries/campaign-versions.ts'
import { CountersUnavailable } from '../../../infra/counters/port.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import type { Account } from '../../../schemas/records/accounts.ts'
import { registerDocs } from '../../../services/api/docs/docs.ts'
import type { FieldError } from '../../../services/domain/errors.ts'
import { defaultLimits, type Limits } from '../../../services/domain/limits.ts'
import type { SendMail } from '../../../services/domain/mail.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createHttpServer, type HttpServer } from '../../../services/http/server.ts'
import { createSealing } from '../../../services/registry/access/second-factor/sealing.ts'
import { createSecondFactors } from '../../../services/registry/access/second-factor/second-factors.ts'
import { createSessions } from '../../../services/registry/access/sessions/sessions.ts'
import { createTokenUse, type TokenUse } from '../../../services/registry/access/token-use.ts'
import { usersApp } from '../../../services/registry/access/users/app.ts'
import { createPasswordMail } from '../../../services/registry/access/users/password-mail.ts'
import type { PasswordStrength } from '../../../services/registry/access/users/password-strength.ts'
import type { Passwords } from '../../../services/registry/access/users/passwords.ts'
import { registryApp } from '../../../services/registry/app.ts'
import { erasuresApp } from '../../../services/registry/erasures/app.ts'
import { createErasureStore } from '../../../services/registry/erasures/erasures.ts'
import { imagesApp } from '../../../services/registry/images/app.ts'
import { openImageFiles } from '../../../services/registry/images/files.ts'
import { returnsApp } from '../../../services/registry/import/returns.ts'
import { inlineProductReader, type ProductReader } from '../../../services/registry/products/product-reader.ts'
import { openRegistry, type Registry } from '../../../services/registry/resources/store.ts'
import { createAccess } from '../../../services/registry/rights/access.ts'
import { createAuthorize } from '../../../services/registry/rights/auth.ts'
import { createSecurityLog } from '../../../services/registry/security-log/security-log.ts'

export const BOOTSTRAP_TOKEN = 'the-bootstrap-token-of-the-tests-1234'
export const PUBLIC_URL = 'https://ads.example'
export const NOW = Date.parse('2026-06-01T12:00:00Z')

// biome-ignore lint/suspicious/noExplicitAny: answers are read as what the API says they are
export type Json = any

export interface Answer {
  status: number
  body: Json
  headers: Record<string, unknown>
}

export interface Problem {
  code: string
  detail: string
  errors?: FieldError[]
}

/** A registry on the real embedded log, with its API. */
export interface Office {
  folder: string
  log: EventLog
  registry: Registry
  server: HttpServer
  tokenUse: TokenUse
  /** Micros billed, by campaign. */
  spent: Map<string, number>
  /** Whether the counters answer what was spent, and what they wait for before. */
  counters: { areThere: boolean; whenRead: () => Promise<void> }
  /** The clock; tests move it. */
  clock: { now: number }
  call(method: string, path: string, body?: unknown, token?: string | null): Promise<Answer>
  /** Creates something with POST. @returns the body. @throws unless the status is 201. */
  make(path: string, body: object, token?: string): Promise<Json>
  /** Ends the registry, but keeps the folder. */
  stop(): Promise<void>
}

/** Passwords without the slow hash, which is slow on purpose. */
export const quickPasswords: Passwords = {
  hash: async (password) => `hash of ${createHash('sha256').update(password).digest('hex')}`,
  matches: async (password, hash) => hash === (await quickPasswords.hash(password)),
}

export async function openOffice(
  options: {
    folder?: string
    log?: EventLog
    passwords?: Passwords
    findVersions?: FindVersions
    checkpointEvery?: number
    strength?: Pick<PasswordStrength, 'weakness'>
    sendMail?: SendMail
    productReader?: ProductReader
    limits?: Partial<Limits>
    requireMfa?: readonly Account['kind'][]
    analytics?: Pick<Analytics, 'query'>
  } = {},
): Promise<Office> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'endcap-registry-')))
  const log = options.log ?? (await openEmbeddedEventLog({ folder }))
  const clock = { now: NOW }
  const now = () => clock.now
  const snapshot = new Snapshot()
  const { checkpointEvery } = options
  const limits = { ...defaultLimits, ...options.limits }
  const registry = await openRegistry({ log, snapshot, limits, now, ...(checkpointEvery ? { checkpointEvery } : {}) })
  const productWriter = await log.exclusiveWriter('product-updates')
  const spent = new Map<string, number>()
  const counters = { areThere: true, whenRead: async () => {} }
  const server = createHttpServer({ logger: false })
  registerDocs(server, { version: '0.0.0', publicUrl: PUBLIC_URL })
  const sessionKeys = [Buffer.alloc(32, 1)]
  const sessions = createSessions({ snapshot, keys: sessionKeys, publicUrl: PUBLIC_URL, now, uuid: randomUUID })
  const keepMs = 86_400_000
  const logger = { warn: () => {} }
  const securityLog = createSecurityLog({ log, keys: sessionKeys, keepMs, now, uuid: randomUUID, logger })
  const sealing = createSealing({ keys: sessionKeys, randomBytes })
  const requiredOf = new Set(options.requireMfa ?? [])
  const secondFactors = createSecondFactors({ registry, sealing, requiredOf, now })
  const tokenUse = createTokenUse({ registry, securityLog, now })
  const expected = [...snapshot.all('Image')].map(({ id }) => id)
  const deps = {
    registry,
    log,
    productWriter,
    access: createAccess(snapshot),
    authorize: createAuthorize({
      snapshot,
      bootstrapToken: BOOTSTRAP_TOKEN,
      sessions,
      noteUse: tokenUse.note,
      lacksSecondFactor: secondFactors.isMissing,
      now,
    }),
    sessions,
    sessionKeys,
    sealing,
    secondFactors,
    securityLog,
    strength: options.strength ?? { weakness: async () => null },
    passwordMail: createPasswordMail({ sendMail: options.sendMail ?? null, publicUrl: PUBLIC_URL, logger }),
    passwords: options.passwords ?? quickPasswords,
    productReader: options.productReader ?? inlineProductReader,
    images: await openImageFiles({ log, folder: join(folder, 'images'), expected }),
    publicUrl: PUBLIC_URL,
    feedIntervalMs: 3_600_000,
    indexedUpTo: async () => clock.now,
    findVersions: options.findVersions ?? (async () => []),
    async spendOf(ids: readonly string[]) {
      await counters.whenRead()
      if (!counters.areThere) throw new CountersUnavailable('being counted again')
      return ids.map((id) => spent.get(id) ?? 0)
    },
    now,
    uuid: randomUUID,
    randomBytes,
  }
  server.register(registryApp(deps))
  server.register(imagesApp(deps))
  server.register(usersApp(deps))
  server.register(returnsApp(deps))
  const erasures = createErasureStore(deps)
  server.register(erasuresApp({ ...deps, erasures, analytics: { query: async () => [], ...options.analytics } }))

  async function call(method: string, path: string, body?: unknown, token: string | null = BOOTSTRAP_TOKEN) {
    const answer = await server.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: answer.statusCode, body: answer.body ? parsed(answer.body) : undefined, headers: answer.headers }
  }

  return {
    folder,
    log,
    registry,
    server,
    tokenUse,
    spent,
    counters,
    clock,
    call,
    async make(path, body, token) {
      const answer = await call('POST', path, body, token)
      if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    async stop() {
      await server.close()
      await tokenUse.close()
      await erasures.close()
      await registry.close()
      if (!options.log) await log.close()
    },
  }
}

export async function discard(office: Office): Promise<void> {
  await office.stop()
  await rm(office.folder, { recursive: true, force: true })
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const shopBody = { name: 'Shop', currency: 'EUR', lang: 'de', country: 'DE', timeZone: 'Europe/Berlin' }

/** An account with a token for everything that it may do. */
export async function openAccount(office: Office, kind: 'PUBLISHER' | 'ADVERTISER', extra: object = {}) {
  const account = await office.make('/v1/panel/accounts', { kind, name: `${kind} account`, ...extra })
  const scopes = kind === 'PUBLISHER' ? ['slots', 'feed', 'panel', 'import'] : ['panel']
  const { token } = await office.make('/v1/panel/tokens', { accountId: account.id, name: 'its token', scopes })
  return { id: account.id as string, token: token as string }
}

/** A publisher with one shop and one of everything that a shop can have. */
export async function openPublisher(office: Office, extra: object = {}) {
  const publisher = await openAccount(office, 'PUBLISHER', extra)
  const make = (path: string, body: object) => office.make(path, body, publisher.token)
  const shop = await make('/v1/panel/shops', shopBody)
  const placement = await make('/v1/panel/placements', { shopId: shop.id, name: 'Listing', kind: 'PRODUCT' })
  const unit = await make('/v1/panel/ad-units', { placementId: placement.id, name: 'Top', algorithm: 'CONTEXT_MATCH' })
  const feed = await make('/v1/panel/feeds', { shopId: shop.id, name: 'Catalogue' })
  const format = await make('/v1/panel/ad-formats', formatBody(shop.id))
  return {
    ...publisher,
    shopId: shop.id,
    placementId: placement.id,
    unitId: unit.id,
    feedId: feed.id,
    formatId: format.id,
  }
}

/** The body of a format: one image of 40 x 20 pixels, a title, and optionally a button and a colour. */
export function formatBody(shopId: string, extra: object = {}) {
  const textFields = [
    { type: 'TITLE', required: true, maxLength: 20 },
    { type: 'CTA', required: false, maxLength: 10 },
    { type: 'BG_COLOR', required: false, maxLength: 9 },
  ]
  return { shopId, name: 'Small', images: [{ width: 40, height: 20 }], textFields, ...extra }
}

export function campaignBody(shopId: string, extra: object = {}) {
  return { kind: 'SPONSORED', shopId, name: 'Spring', budget: 100, cpc: 0.5, products: { ids: ['a', 'b'] }, ...extra }
}

/** The body of a display campaign with one banner, which fits the format of `formatBody`. */
export function displayBody(given: { shopId: string; formatId: string; imageId: string }, extra: object = {}) {
  const { shopId, formatId, imageId } = given
  const textFields = [{ type: 'TITLE', value: 'Żółte lampy' }]
  const banners = [{ adFormatId: formatId, images: [{ imageId }], textFields }]
  const target = { country: 'DE', targetUrl: 'https://shop.example/lamps' }
  return { kind: 'DISPLAY', shopId, name: 'Autumn', budget: 100, cpm: 2.5, ...target, banners, ...extra }
}

/** The paths in a problem's errors. */
export function paths(answer: Answer): string[] {
  return (answer.body as Problem).errors?.map(({ path }) => path) ?? []
}
