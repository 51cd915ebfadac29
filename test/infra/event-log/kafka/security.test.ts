import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readEngineConfig } from '../../../../infra/engine-config.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-security-'))
  for (const name of ['one', 'other']) {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`]
    execFileSync('openssl', ['req', '-x509', ...key, '-out', `${name}.pem`, '-subj', `/CN=${name}`], {
      cwd: folder,
      stdio: 'pipe',
    })
  }
  writeFileSync(file('not.pem'), 'hello')
})
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string) => join(folder, name)

function read(settings: Record<string, string>) {
  const problems: string[] = []
  return { kafka: readEngineConfig({ KAFKA_BROKERS: 'a:9092', ...settings }, problems).kafka!, problems }
}

const files = (ca: string, cert: string, key: string) => ({
  KAFKA_TLS: 'true',
  KAFKA_TLS_CA_FILE: file(ca),
  KAFKA_TLS_CERT_FILE: file(cert),
  KAFKA_TLS_KEY_FILE: file(key),
})

it('without a setting there is neither TLS nor a sign-in', () => {
  expect(read({})).toMatchObject({ kafka: { security: { tls: null, sasl: null } }, problems: [] })
})

it('TLS alone trusts whom Node trusts', () => {
  const { kafka, problems } = read({ KAFKA_TLS: 'true' })
  expect(kafka.security.tls).toEqual({ ca: null, cert: null, key: null, passphrase: null })
  expect(problems).toEqual([])
})

it('reads the files of an authority and of a client', () => {
  const { kafka, problems } = read(files('one.pem', 'other.pem', 'other.key'))
  expect(kafka.security.tls?.cert).toMatch(/^-----BEGIN CERTIFICATE-----/)
  expect(problems).toEqual([])
})

it.each([
  [
    'a file that is missing',
    () => files('none.pem', 'one.pem', 'one.key'),
    /^KAFKA_TLS_CA_FILE names a file that cannot be read: ENOENT$/,
  ],
  [
    'a file of another kind',
    () => files('not.pem', 'one.pem', 'one.key'),
    /^KAFKA_TLS_CA_FILE must name a file in PEM format$/,
  ],
  [
    'a key of another certificate',
    () => files('one.pem', 'one.pem', 'other.key'),
    /cannot be used for TLS: .*key values mismatch/,
  ],
  [
    'a certificate without its key',
    () => ({ ...files('one.pem', 'one.pem', ''), KAFKA_TLS_KEY_FILE: '' }),
    /must be set together$/,
  ],
  ['files without TLS', () => ({ KAFKA_TLS_CA_FILE: file('one.pem') }), /^KAFKA_TLS_CA_FILE needs KAFKA_TLS=true$/],
  [
    'a password of a key without TLS',
    () => ({ KAFKA_TLS_KEY_PASSWORD: 'a' }),
    /^KAFKA_TLS_KEY_PASSWORD needs KAFKA_TLS=true$/,
  ],
  [
    'a password without a key',
    () => ({ KAFKA_TLS: 'true', KAFKA_TLS_KEY_PASSWORD: 'a' }),
    /^KAFKA_TLS_KEY_PASSWORD needs KAFKA_TLS_KEY_FILE$/,
  ],
  [
    'a mechanism without anybody to sign in',
    () => ({ KAFKA_SASL_MECHANISM: 'plain' }),
    /^KAFKA_SASL_MECHANISM needs KAFKA_USERNAME and KAFKA_PASSWORD/,
  ],
  [
    'a scope without oauthbearer',
    () => ({ KAFKA_OAUTH_SCOPE: 'log', KAFKA_USERNAME: 'a', KAFKA_PASSWORD: 'b' }),
    /^KAFKA_OAUTH_SCOPE needs KAFKA_SASL_MECHANISM=oauthbearer$/,
  ],
  [
    'a name without a password',
    () => ({ KAFKA_USERNAME: 'a' }),
    /^KAFKA_USERNAME and KAFKA_PASSWORD must be set together$/,
  ],
  [
    'tokens without an endpoint',
    () => ({ KAFKA_SASL_MECHANISM: 'oauthbearer', KAFKA_USERNAME: 'a', KAFKA_PASSWORD: 'b' }),
    /KAFKA_OAUTH_TOKEN_URL and KAFKA_SASL_MECHANISM=oauthbearer/,
  ],
  [
    'an endpoint without oauthbearer',
    () => ({ KAFKA_OAUTH_TOKEN_URL: 'https://t', KAFKA_USERNAME: 'a', KAFKA_PASSWORD: 'b' }),
    /KAFKA_OAUTH_TOKEN_URL and KAFKA_SASL_MECHANISM=oauthbearer/,
  ],
])('refuses %s', (_, settings, problem) => {
  expect(read(settings() as Record<string, string>).problems).toEqual([expect.stringMatching(problem)])
})
