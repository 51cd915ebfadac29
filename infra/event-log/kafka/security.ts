import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { type Static, Type } from 'typebox'
import * as Setting from '../../settings.ts'

const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'] as const
const MECHANISM_DEFAULT = 'scram-sha-512'

/** How connections to the brokers are secured, and how to sign in. Plain data. */
export interface KafkaSecurity {
  /** Null for no TLS. */
  readonly tls: {
    /** PEM of the authorities; null for those that Node trusts. */
    readonly ca: string | null
    /** PEM of this client's certificate; null when the brokers ask for none. */
    readonly cert: string | null
    readonly key: string | null
    readonly passphrase: string | null
  } | null
  readonly sasl: {
    readonly mechanism: (typeof mechanisms)[number]
    /** With oauthbearer, the client's id at the token endpoint. */
    readonly username: string
    readonly password: string
    readonly tokenUrl: string | null
    readonly scope: string | null
  } | null
}

export const securitySettings = {
  KAFKA_TLS: Setting.Flag(false),
  KAFKA_TLS_CA_FILE: Setting.OptionalText(),
  KAFKA_TLS_CERT_FILE: Setting.OptionalText(),
  KAFKA_TLS_KEY_FILE: Setting.OptionalText(),
  KAFKA_TLS_KEY_PASSWORD: Setting.Secret(),
  KAFKA_USERNAME: Setting.OptionalText(),
  KAFKA_PASSWORD: Setting.Secret(),
  KAFKA_SASL_MECHANISM: Setting.OneOf(mechanisms, MECHANISM_DEFAULT),
  KAFKA_OAUTH_TOKEN_URL: Setting.Address('http', 'https'),
  KAFKA_OAUTH_SCOPE: Setting.OptionalText(),
}
const schema = Type.Object(securitySettings)
type SecuritySettings = Static<typeof schema>

/** Reads the files that the settings name. @param problems gets a sentence for each setting that cannot be used. */
export function readKafkaSecurity(settings: SecuritySettings, problems: string[]): KafkaSecurity {
  return { tls: readTls(settings, problems), sasl: readSasl(settings, problems) }
}

const FILE_KEYS = ['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE'] as const
const TLS_KEYS = [...FILE_KEYS, 'KAFKA_TLS_KEY_PASSWORD'] as const

function readTls(settings: SecuritySettings, problems: string[]): KafkaSecurity['tls'] {
  const isSet = (key: (typeof TLS_KEYS)[number]) => settings[key] !== undefined
  if (!settings.KAFKA_TLS) {
    for (const key of TLS_KEYS.filter(isSet)) problems.push(`${key} needs KAFKA_TLS=true`)
    return null
  }
  const named = FILE_KEYS.filter(isSet)
  if ((settings.KAFKA_TLS_CERT_FILE === undefined) !== (settings.KAFKA_TLS_KEY_FILE === undefined)) {
    problems.push('KAFKA_TLS_CERT_FILE and KAFKA_TLS_KEY_FILE must be set together')
  }
  if (isSet('KAFKA_TLS_KEY_PASSWORD') && !isSet('KAFKA_TLS_KEY_FILE')) {
    problems.push('KAFKA_TLS_KEY_PASSWORD needs KAFKA_TLS_KEY_FILE')
  }
  const before = problems.length
  const [ca, cert, key] = FILE_KEYS.map((each) => readPem(each, settings[each], problems))
  const tls = { ca: ca!, cert: cert!, key: key!, passphrase: settings.KAFKA_TLS_KEY_PASSWORD ?? null }
  if (problems.length === before) {
    try {
      createSecureContext(tlsOptions(tls))
    } catch (error) {
      problems.push(`${named.join(', ')} cannot be used for TLS: ${(error as Error).message}`)
    }
  }
  return tls
}

function readPem(key: string, path: string | undefined, problems: string[]): string | null {
  if (path === undefined) return null
  try {
    const text = readFileSync(path, 'utf8')
    if (text.includes('-----BEGIN ')) return text
    problems.push(`${key} must name a file in PEM format`)
  } catch (error) {
    problems.push(`${key} names a file that cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
  return null
}

function readSasl(settings: SecuritySettings, problems: string[]): KafkaSecurity['sasl'] {
  const { KAFKA_USERNAME: username, KAFKA_PASSWORD: password, KAFKA_SASL_MECHANISM: mechanism } = settings
  const { KAFKA_OAUTH_TOKEN_URL: tokenUrl = null, KAFKA_OAUTH_SCOPE: scope = null } = settings
  const isOauth = mechanism === 'oauthbearer'
  if ((tokenUrl !== null) !== isOauth) {
    problems.push('KAFKA_OAUTH_TOKEN_URL and KAFKA_SASL_MECHANISM=oauthbearer must be set together')
  }
  if (scope !== null && !isOauth) problems.push('KAFKA_OAUTH_SCOPE needs KAFKA_SASL_MECHANISM=oauthbearer')
  if (username !== undefined && password !== undefined) return { mechanism, username, password, tokenUrl, scope }
  if (isOauth || username !== password) problems.push('KAFKA_USERNAME and KAFKA_PASSWORD must be set together')
  else if (mechanism !== MECHANISM_DEFAULT) {
    problems.push('KAFKA_SASL_MECHANISM needs KAFKA_USERNAME and KAFKA_PASSWORD: nobody would sign in')
  }
  return null
}

export function tlsOptions({ ca, cert, key, passphrase }: NonNullable<KafkaSecurity['tls']>) {
  return {
    ...(ca === null ? {} : { ca }),
    ...(cert === null ? {} : { cert }),
    ...(key === null ? {} : { key }),
    ...(passphrase === null ? {} : { passphrase }),
  }
}
