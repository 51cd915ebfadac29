import { type Static, Type } from 'typebox'
import { DAY_MS } from '../schemas/durations.ts'
import { Email, PASSWORD_CHARS_MAX } from '../schemas/http/panel/accounts/users.ts'
import { PASSWORD_CHARS_MIN } from '../schemas/http/panel/limits.ts'
import type { Account } from '../schemas/records/accounts.ts'
import { OperatorError } from '../services/domain/errors.ts'
import { isNetwork, NETWORK_NAMES } from '../services/domain/identity/ip-address.ts'
import { parseServerKeys, type ServerKey } from '../services/domain/identity/server-keys.ts'
import { type Limits, limitSettings } from '../services/domain/limits.ts'
import { allExternal, type EngineConfig, engineSettings, readEngineConfig } from './engine-config.ts'
import type { MailConfig } from './mail.ts'
import type { MetricsAddress } from './metrics/metrics.ts'
import * as Setting from './settings.ts'
import { type Environment, httpAddress, listOf, readSettings } from './settings.ts'

const roles = ['registry', 'selection', 'intake', 'streams'] as const
export type Role = (typeof roles)[number]

/** Every setting, read once at the start. `docs/configuration.md` lists them with effect, unit and default. */
export interface Config {
  readonly httpHost: string
  readonly httpPort: number
  /** Null when metrics are not served. */
  readonly metricsAddress: MetricsAddress | null
  readonly publicUrl: string
  readonly dataFolder: string
  readonly roles: readonly Role[]
  /** Threads that serve ad requests and events. */
  readonly workers: number
  readonly engines: EngineConfig
  readonly spoolMaxBytes: number
  readonly bootstrapToken: string | null
  /** Created at a start that finds no operator. */
  readonly firstOperator: { email: string; password: string } | null
  /** Null when not set: then a key is created at the first start and kept in the data folder. */
  readonly showIdKeys: readonly ServerKey[] | null
  /** Null when not set: then a key is created, as for `showIdKeys`. */
  readonly sessionKeys: readonly ServerKey[] | null
  readonly securityLogKeptMs: number
  /** Roles whose users need a second factor. */
  readonly secondFactorRequiredOf: ReadonlySet<Account['kind']>
  /** Null when no mail is sent. */
  readonly mail: MailConfig | null
  readonly trustedProxies: readonly string[]
  readonly logLevel: LogLevel
  readonly selectionDeadlineMs: number
  /** How long a process may take to end once it was told to. */
  readonly stopTimeoutMs: number
  readonly signalsIntervalMs: number
  readonly feedIntervalMs: number
  readonly feedAllowPrivateAddresses: boolean
  readonly corsOrigins: readonly string[] | '*'
  readonly limits: Limits
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const userRoles = ['OPERATOR', 'PUBLISHER', 'ADVERTISER'] as const satisfies Account['kind'][]
const BOOTSTRAP_TOKEN_CHARS_MIN = 32
const MEBIBYTE = 1024 * 1024
const WORKERS_MAX = 16
const METRICS_OFF = 'off'
const METRICS_PORT_USUAL = 9464
const ANY_ORIGIN = '*'
/** The origin that URL reports for an address outside the web, such as `capacitor://localhost` of an app. */
const OPAQUE_ORIGIN = 'null'

/** An origin is compared with the header Origin as text, so a path, a slash at the end or the default port would never match. */
const ORIGIN_PATTERN = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@]+$/

const isOrigin = (text: string) =>
  text === ANY_ORIGIN || (ORIGIN_PATTERN.test(text) && [text, OPAQUE_ORIGIN].includes(URL.parse(text)?.origin ?? ''))

const isOneOf = (values: readonly string[]) => (value: string) => values.includes(value)

const programSettings = Type.Object({
  HTTP_HOST: Setting.Host('127.0.0.1'),
  HTTP_PORT: Setting.Integer(0, 65_535, 8080),
  METRICS_HOST: Setting.Host('127.0.0.1'),
  METRICS_PORT: Type.Optional(
    Type.Union([Type.Literal(METRICS_OFF), Setting.Integer(0, 65_535)], {
      description: `${METRICS_OFF}, or a whole number from 0 to 65535`,
    }),
  ),
  PUBLIC_URL: Setting.PublicAddress(),
  DATA_DIR: Setting.Text('./data'),
  ROLES: Setting.List(roles.join(','), `a comma-separated list of ${roles.join(', ')}`, isOneOf(roles)),
  WORKERS: Setting.Integer(1, WORKERS_MAX, 1),
  SPOOL_MAX_MIB: Setting.Integer(1, 1024 * 1024, 1024),
  BOOTSTRAP_TOKEN: Type.Optional(
    Type.String({
      writeOnly: true,
      minLength: BOOTSTRAP_TOKEN_CHARS_MIN,
      description: `at least ${BOOTSTRAP_TOKEN_CHARS_MIN} characters long`,
    }),
  ),
  // The schema by which a sign-in is checked: an operator who cannot sign in would keep the next start from making another.
  OPERATOR_EMAIL: Type.Optional(Type.String({ ...Email, description: 'an e-mail address, such as ada@shop.example' })),
  OPERATOR_PASSWORD: Setting.Password(),
  SHOW_ID_KEYS: Setting.Secret(),
  SESSION_KEYS: Setting.Secret(),
  REQUIRE_MFA: Setting.List('', `a list of ${userRoles.join(', ')}`, isOneOf(userRoles)),
  SMTP_URL: Setting.Address('smtp', 'smtps'),
  SMTP_FROM: Setting.OptionalText(),
  SECURITY_LOG_DAYS: Setting.Integer(1, 400, 365),
  TRUSTED_PROXIES: Setting.List('', `a list of addresses, networks in CIDR, or ${NETWORK_NAMES.join(', ')}`, isNetwork),
  LOG_LEVEL: Setting.OneOf(logLevels, 'info'),
  SELECTION_DEADLINE_MS: Setting.Integer(1, 10_000, 100),
  STOP_TIMEOUT_MS: Setting.Integer(100, 3_600_000, 25_000),
  SIGNALS_INTERVAL_SECONDS: Setting.Integer(1, 86_400, 300),
  FEED_INTERVAL_SECONDS: Setting.Integer(60, 604_800, 3600),
  FEED_ALLOW_PRIVATE_ADDRESSES: Setting.Flag(false),
  CORS_ORIGINS: Setting.List('*', 'a list of origins as browsers name them (https://shop.example), or *', isOrigin),
})
type ProgramSettings = Static<typeof programSettings>

const limitsSchema = Type.Object(
  Object.fromEntries(
    Object.values(limitSettings).map(({ setting, min, max, default: usual }) => [
      setting,
      Setting.Integer(min, max, usual),
    ]),
  ),
)

/** The settings of `docs/configuration.md`; those of `docs/limits.md` are in `limitSettings`. */
export const settings = { ...programSettings.properties, ...engineSettings.properties }

/** The names of all settings. */
export const settingNames = Object.keys({ ...settings, ...limitsSchema.properties })

/** One or more settings cannot be used; each line of the message names one and says what it takes. */
export class InvalidConfig extends OperatorError {
  override readonly name = 'InvalidConfig'
}

/** Reads the settings. @throws InvalidConfig that lists every problem. */
export function readConfig(env: Environment): Config {
  const problems: string[] = []
  const settings = readSettings(programSettings, env, problems)
  const { HTTP_HOST: httpHost, HTTP_PORT: httpPort } = settings
  const engines = readEngineConfig(env, problems)
  const chosen = readRoles(settings, engines, problems)
  const config: Config = {
    httpHost,
    httpPort,
    metricsAddress: metricsAddressOf(settings),
    publicUrl: publicUrlOf(settings),
    dataFolder: settings.DATA_DIR,
    roles: chosen,
    workers: readWorkers(settings, chosen, problems),
    engines,
    spoolMaxBytes: MEBIBYTE * settings.SPOOL_MAX_MIB,
    bootstrapToken: settings.BOOTSTRAP_TOKEN ?? null,
    firstOperator: readFirstOperator(settings, problems),
    showIdKeys: readShowIdKeys(settings, chosen, problems),
    sessionKeys: readKeys('SESSION_KEYS', settings, problems),
    secondFactorRequiredOf: new Set(listOf(settings.REQUIRE_MFA) as Account['kind'][]),
    mail: readMail(settings, problems),
    securityLogKeptMs: DAY_MS * settings.SECURITY_LOG_DAYS,
    trustedProxies: listOf(settings.TRUSTED_PROXIES),
    logLevel: settings.LOG_LEVEL,
    selectionDeadlineMs: settings.SELECTION_DEADLINE_MS,
    stopTimeoutMs: settings.STOP_TIMEOUT_MS,
    signalsIntervalMs: 1000 * settings.SIGNALS_INTERVAL_SECONDS,
    feedIntervalMs: 1000 * settings.FEED_INTERVAL_SECONDS,
    feedAllowPrivateAddresses: settings.FEED_ALLOW_PRIVATE_ADDRESSES,
    corsOrigins: corsOriginsOf(settings),
    limits: readLimits(env, problems),
  }
  if (problems.length > 0) throw new InvalidConfig(problems.join('\n'))
  return Object.freeze(config)
}

/** The address as `URL` writes it, without a slash at the end: paths are appended to it, and its scheme is read from the text. */
function publicUrlOf({ PUBLIC_URL: text, HTTP_HOST: host, HTTP_PORT: port }: ProgramSettings): string {
  return new URL(text ?? httpAddress(host, port)).href.replace(/\/+$/, '')
}

function corsOriginsOf({ CORS_ORIGINS: text }: ProgramSettings): Config['corsOrigins'] {
  const origins = listOf(text)
  return origins.includes(ANY_ORIGIN) ? ANY_ORIGIN : origins
}

/** If the default port is taken, as by another process on the same machine, any free one will do. A port that was set must be free. */
export function metricsAddressOf({
  METRICS_HOST: host,
  METRICS_PORT: port,
}: Pick<ProgramSettings, 'METRICS_HOST' | 'METRICS_PORT'>): MetricsAddress | null {
  if (port === METRICS_OFF) return null
  return { host, port: port ?? METRICS_PORT_USUAL, orAnyFree: port === undefined }
}

function readRoles(settings: ProgramSettings, engines: EngineConfig, problems: string[]): Role[] {
  const chosen = [...new Set(listOf(settings.ROLES) as Role[])]
  if (!isWhole(chosen) && !allExternal(engines)) {
    problems.push(
      'ROLES must name every role, because embedded engines serve only one process. To use several processes, set ' +
        'KAFKA_BROKERS, CLICKHOUSE_URL, ELASTICSEARCH_URL and REDIS_URL',
    )
  }
  return chosen
}

/** Only selection and intake gain from more threads that serve HTTP. */
function readWorkers({ WORKERS: workers }: ProgramSettings, chosen: readonly Role[], problems: string[]): number {
  if (workers > 1 && !chosen.includes('selection') && !chosen.includes('intake')) {
    problems.push('WORKERS must be 1 unless ROLES names selection or intake')
  }
  return workers
}

const isWhole = (chosen: readonly Role[]) => roles.every((role) => chosen.includes(role))

function readShowIdKeys(settings: ProgramSettings, chosen: readonly Role[], problems: string[]): ServerKey[] | null {
  if (settings.SHOW_ID_KEYS === undefined && !isWhole(chosen)) {
    problems.push('SHOW_ID_KEYS must be set, to the same value in every process, when ROLES does not name every role')
  }
  return readKeys('SHOW_ID_KEYS', settings, problems)
}

function readKeys(
  name: 'SHOW_ID_KEYS' | 'SESSION_KEYS',
  settings: ProgramSettings,
  problems: string[],
): ServerKey[] | null {
  const value = settings[name]
  try {
    return value === undefined ? null : parseServerKeys(value)
  } catch (error) {
    problems.push(`${name}: ${(error as Error).message}`)
    return null
  }
}

function readFirstOperator(settings: ProgramSettings, problems: string[]): Config['firstOperator'] {
  const { OPERATOR_EMAIL: email = '', OPERATOR_PASSWORD: password = '' } = settings
  if (email === '' && password === '') return null
  if (email === '') problems.push('OPERATOR_PASSWORD needs OPERATOR_EMAIL')
  if (password.length < PASSWORD_CHARS_MIN || password.length > PASSWORD_CHARS_MAX) {
    problems.push(`OPERATOR_PASSWORD must have ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`)
  }
  return { email, password }
}

function readMail({ SMTP_URL: url, SMTP_FROM: from }: ProgramSettings, problems: string[]): MailConfig | null {
  if (from !== undefined && !from.includes('@')) problems.push('SMTP_FROM must be an e-mail address, or Name <address>')
  if (url !== undefined && from !== undefined) return { url, from }
  if (url !== from) problems.push('SMTP_URL and SMTP_FROM must be set together')
  return null
}

function readLimits(env: Environment, problems: string[]): Limits {
  const values = readSettings(limitsSchema, env, problems)
  return Object.freeze(
    Object.fromEntries(Object.entries(limitSettings).map(([name, { setting }]) => [name, values[setting]])),
  ) as Limits
}
