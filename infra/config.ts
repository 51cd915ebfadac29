import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../schemas/http/panel/accounts/users.ts'
import type { Account } from '../schemas/records/accounts.ts'
import { isNetwork, NETWORK_NAMES } from '../services/domain/identity/ip-address.ts'
import { type Limits, limitSettings } from '../services/domain/limits.ts'
import { parseShowIdKeys, type ShowIdKey } from '../services/domain/show-id/show-id.ts'
import { allExternal, type EngineConfig, readEngineConfig } from './engine-config.ts'
import type { MailConfig } from './mail.ts'
import type { MetricsAddress } from './metrics.ts'
import { type Environment, readSettings, type Settings } from './settings.ts'

export const roles = ['registry', 'selection', 'intake', 'streams'] as const
export type Role = (typeof roles)[number]

/** Every setting, read once at the start. `docs/configuration.md` lists them with effect, unit and default. */
export interface Config {
  readonly httpHost: string
  readonly httpPort: number
  /** Null: metrics are not served. */
  readonly metricsAddress: MetricsAddress | null
  readonly publicUrl: string
  readonly dataFolder: string
  readonly roles: readonly Role[]
  readonly engines: EngineConfig
  readonly spoolMaxBytes: number
  readonly bootstrapToken: string | null
  /** Made at a start that finds no operator. */
  readonly firstOperator: { email: string; password: string } | null
  /** Null: a key is made at the first start and kept in the data folder. */
  readonly showIdKeys: readonly ShowIdKey[] | null
  /** Null: as `showIdKeys`. */
  readonly sessionKeys: readonly ShowIdKey[] | null
  readonly securityLogKeptMs: number
  /** Roles whose users need a second factor. */
  readonly secondFactorRequiredOf: ReadonlySet<Account['kind']>
  /** Null: no mail is sent. */
  readonly mail: MailConfig | null
  readonly trustedProxies: readonly string[]
  readonly logLevel: LogLevel
  readonly selectionDeadlineMs: number
  readonly signalsIntervalMs: number
  readonly feedIntervalMs: number
  readonly feedAllowPrivateAddresses: boolean
  readonly corsOrigins: readonly string[] | '*'
  readonly limits: Limits
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export const BOOTSTRAP_TOKEN_LENGTH_MIN = 32
const MEBIBYTE = 1024 * 1024
const DAY_MS = 86_400_000

/** A setting that cannot be used; the message names the key and what it takes. */
export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig'
}

/** Reads the settings. @throws InvalidConfig that lists every problem. */
export function readConfig(env: Environment): Config {
  const settings = readSettings(env)
  const httpHost = settings.text('HTTP_HOST', '127.0.0.1')
  const httpPort = settings.integer('HTTP_PORT', 8080, 0, 65_535)
  const engines = readEngineConfig(settings)
  const chosen = readRoles(settings, engines)
  const origins = settings.text('CORS_ORIGINS', '*')
  const config: Config = {
    httpHost,
    httpPort,
    metricsAddress: readMetricsAddress(settings),
    publicUrl: (settings.address('PUBLIC_URL', ['http', 'https']) ?? `http://${httpHost}:${httpPort}`).replace(
      /\/+$/,
      '',
    ),
    dataFolder: settings.text('DATA_DIR', './data'),
    roles: chosen,
    engines,
    spoolMaxBytes: MEBIBYTE * settings.integer('SPOOL_MAX_MIB', 1024, 1, 1024 * 1024),
    bootstrapToken: readBootstrapToken(settings),
    firstOperator: readFirstOperator(settings),
    showIdKeys: readShowIdKeys(settings, chosen),
    sessionKeys: readKeys('SESSION_KEYS', settings),
    secondFactorRequiredOf: readRequiredMfa(settings),
    mail: readMail(settings),
    securityLogKeptMs: DAY_MS * settings.integer('SECURITY_LOG_DAYS', 365, 1, 400),
    trustedProxies: readTrustedProxies(settings),
    logLevel: settings.oneOf('LOG_LEVEL', 'info', logLevels),
    selectionDeadlineMs: settings.integer('SELECTION_DEADLINE_MS', 100, 1, 10_000),
    signalsIntervalMs: 1000 * settings.integer('SIGNALS_INTERVAL_SECONDS', 300, 1, 86_400),
    feedIntervalMs: 1000 * settings.integer('FEED_INTERVAL_SECONDS', 3600, 60, 604_800),
    feedAllowPrivateAddresses: settings.flag('FEED_ALLOW_PRIVATE_ADDRESSES', false),
    corsOrigins: origins === '*' ? '*' : settings.list('CORS_ORIGINS', ''),
    limits: readLimits(settings),
  }
  if (settings.problems.length > 0) throw new InvalidConfig(settings.problems.join('\n'))
  return Object.freeze(config)
}

const METRICS_OFF = 'off'

function readMetricsAddress(settings: Settings): MetricsAddress | null {
  const host = settings.text('METRICS_HOST', '127.0.0.1')
  const chosen = settings.optional('METRICS_PORT')
  if (chosen === METRICS_OFF) return null
  return { host, port: settings.integer('METRICS_PORT', 9464, 0, 65_535), orAnyFree: chosen === null }
}

function readRoles(settings: Settings, engines: EngineConfig): Role[] {
  const chosen = settings.list('ROLES', roles.join(',')) as Role[]
  if (chosen.length === 0 || chosen.some((role) => !roles.includes(role))) {
    settings.problems.push(`ROLES must be a comma-separated list of ${roles.join(', ')}`)
  } else if (!isWhole(chosen) && !allExternal(engines)) {
    settings.problems.push(
      'ROLES must name every role: embedded engines serve one process. To split it, set KAFKA_BROKERS, CLICKHOUSE_URL, ELASTICSEARCH_URL and REDIS_URL',
    )
  }
  return chosen
}

const isWhole = (chosen: readonly Role[]) => roles.every((role) => chosen.includes(role))

function readBootstrapToken(settings: Settings): string | null {
  const token = settings.optional('BOOTSTRAP_TOKEN')
  if (token !== null && token.length < BOOTSTRAP_TOKEN_LENGTH_MIN) {
    settings.problems.push(`BOOTSTRAP_TOKEN must have at least ${BOOTSTRAP_TOKEN_LENGTH_MIN} characters`)
  }
  return token
}

function readShowIdKeys(settings: Settings, chosen: readonly Role[]): ShowIdKey[] | null {
  if (settings.optional('SHOW_ID_KEYS') === null && !isWhole(chosen)) {
    settings.problems.push('SHOW_ID_KEYS must be set, the same for every process, when ROLES names only some')
  }
  return readKeys('SHOW_ID_KEYS', settings)
}

function readKeys(name: string, settings: Settings): ShowIdKey[] | null {
  const value = settings.optional(name)
  try {
    return value === null ? null : parseShowIdKeys(value)
  } catch (error) {
    settings.problems.push(`${name}: ${(error as Error).message}`)
    return null
  }
}

function readFirstOperator(settings: Settings): Config['firstOperator'] {
  const email = settings.optional('OPERATOR_EMAIL')
  const password = settings.optional('OPERATOR_PASSWORD')
  if (email === null && password === null) return null
  if (!email?.includes('@')) settings.problems.push('OPERATOR_EMAIL must be an e-mail address')
  const length = password?.length ?? 0
  if (length < PASSWORD_CHARS_MIN || length > PASSWORD_CHARS_MAX) {
    settings.problems.push(`OPERATOR_PASSWORD must have ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`)
  }
  return { email: email ?? '', password: password ?? '' }
}

const userRoles: readonly string[] = ['OPERATOR', 'PUBLISHER', 'ADVERTISER'] satisfies Account['kind'][]

function readRequiredMfa(settings: Settings): ReadonlySet<Account['kind']> {
  const required = settings.list('REQUIRE_MFA', '')
  if (!required.every((role) => userRoles.includes(role))) {
    settings.problems.push(`REQUIRE_MFA must be a list of ${userRoles.join(', ')}`)
  }
  return new Set(required as Account['kind'][])
}

function readMail(settings: Settings): MailConfig | null {
  const url = settings.address('SMTP_URL', ['smtp', 'smtps'])
  const from = settings.optional('SMTP_FROM')
  if ((url === null) !== (from === null)) settings.problems.push('SMTP_URL and SMTP_FROM must be set together')
  return url !== null && from !== null ? { url, from } : null
}

function readTrustedProxies(settings: Settings): string[] {
  const proxies = settings.list('TRUSTED_PROXIES', '')
  if (proxies.every(isNetwork)) return proxies
  settings.problems.push(
    `TRUSTED_PROXIES must be a list of addresses, networks in CIDR, or ${NETWORK_NAMES.join(', ')}`,
  )
  return []
}

function readLimits(settings: Settings): Limits {
  const values = Object.entries(limitSettings).map(([name, { setting, default: usual, min, max }]) => [
    name,
    settings.integer(setting, usual, min, max),
  ])
  return Object.freeze(Object.fromEntries(values))
}
