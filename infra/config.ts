import { parseShowIdKeys, type ShowIdKey } from '../services/domain/show-id.ts'

export const roles = ['registry', 'selection', 'intake', 'streams'] as const
export type Role = (typeof roles)[number]

/** Every setting, read once at the start. `docs/configuration.md` lists them with effect, unit and default. */
export interface Config {
  readonly httpHost: string
  readonly httpPort: number
  readonly publicUrl: string
  readonly dataFolder: string
  readonly roles: readonly Role[]
  readonly bootstrapToken: string | null
  /** Null: a key is made at the first start and kept in the data folder. */
  readonly showIdKeys: readonly ShowIdKey[] | null
  readonly logLevel: LogLevel
  readonly selectionDeadlineMs: number
  readonly signalsIntervalMs: number
  readonly feedIntervalMs: number
  readonly feedAllowPrivateAddresses: boolean
  readonly corsOrigins: readonly string[] | '*'
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export const BOOTSTRAP_TOKEN_LENGTH_MIN = 32

/** A setting that cannot be used; the message names the key and what it takes. */
export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig'
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings. @throws InvalidConfig that lists every problem. */
export function readConfig(env: Environment): Config {
  const problems: string[] = []
  const fail = (key: string, expected: string) => {
    problems.push(`${key} must be ${expected}, not ${JSON.stringify(env[key])}`)
  }
  const text = (key: string, fallback: string) => env[key]?.trim() || fallback
  const integer = (key: string, fallback: number, min: number, max: number) => {
    const value = Number(text(key, String(fallback)))
    if (!Number.isInteger(value) || value < min || value > max) fail(key, `a whole number from ${min} to ${max}`)
    return value
  }
  const oneOf = <T extends string>(key: string, fallback: T, allowed: readonly T[]) => {
    const value = text(key, fallback) as T
    if (!allowed.includes(value)) fail(key, `one of ${allowed.join(', ')}`)
    return value
  }

  const httpHost = text('HTTP_HOST', '127.0.0.1')
  const httpPort = integer('HTTP_PORT', 8080, 0, 65_535)
  const publicUrl = text('PUBLIC_URL', `http://${httpHost}:${httpPort}`).replace(/\/+$/, '')
  if (!/^https?:$/.test(URL.parse(publicUrl)?.protocol ?? '')) fail('PUBLIC_URL', 'an http or https address')

  const chosen = text('ROLES', roles.join(','))
    .split(',')
    .map((r) => r.trim()) as Role[]
  if (chosen.some((role) => !roles.includes(role))) fail('ROLES', `a comma-separated list of ${roles.join(', ')}`)
  else if (roles.some((role) => !chosen.includes(role))) {
    problems.push('ROLES must name every role: the embedded engines serve one process')
  }

  const bootstrapToken = env.BOOTSTRAP_TOKEN?.trim() || null
  if (bootstrapToken && bootstrapToken.length < BOOTSTRAP_TOKEN_LENGTH_MIN) {
    problems.push(`BOOTSTRAP_TOKEN must have at least ${BOOTSTRAP_TOKEN_LENGTH_MIN} characters`)
  }
  const origins = text('CORS_ORIGINS', '*')

  const config: Config = {
    httpHost,
    httpPort,
    publicUrl,
    dataFolder: text('DATA_DIR', './data'),
    roles: chosen,
    bootstrapToken,
    showIdKeys: readShowIdKeys(env.SHOW_ID_KEYS, problems),
    logLevel: oneOf('LOG_LEVEL', 'info', logLevels),
    selectionDeadlineMs: integer('SELECTION_DEADLINE_MS', 100, 1, 10_000),
    signalsIntervalMs: 1000 * integer('SIGNALS_INTERVAL_SECONDS', 300, 1, 86_400),
    feedIntervalMs: 1000 * integer('FEED_INTERVAL_SECONDS', 3600, 60, 604_800),
    feedAllowPrivateAddresses: oneOf('FEED_ALLOW_PRIVATE_ADDRESSES', 'false', ['true', 'false']) === 'true',
    corsOrigins: origins === '*' ? '*' : origins.split(',').map((o) => o.trim()),
  }
  if (problems.length > 0) throw new InvalidConfig(problems.join('\n'))
  return Object.freeze(config)
}

function readShowIdKeys(value: string | undefined, problems: string[]): ShowIdKey[] | null {
  if (!value?.trim()) return null
  try {
    return parseShowIdKeys(value)
  } catch (error) {
    problems.push(`SHOW_ID_KEYS: ${(error as Error).message}`)
    return null
  }
}
