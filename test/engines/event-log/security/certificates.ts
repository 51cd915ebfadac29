import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** PEM files of a certificate authority and of the certificates it has signed. `<name>.p12` holds the same for Java. */
export interface Certificates {
  path(name: string): string
}

/** The password of the key stores. */
export const STORE_PASSWORD = 'store-password'

/**
 * Makes a private authority, `ca`, and certificates signed by it: `broker` for 127.0.0.1, `expired-broker`, `client` and
 * `expired-client`; and `stranger`, which is self-signed.
 */
export function makeCertificates(folder: string): Certificates {
  const path = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const own = (name: string) =>
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
    )

  writeFileSync(path('names'), 'subjectAltName=IP:127.0.0.1')
  own('ca')
  own('stranger')
  for (const name of ['broker', 'expired-broker', 'client', 'expired-client']) {
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
    const until = name.startsWith('expired') ? '20200102000000Z' : '20990101000000Z'
    sign(name, until)
    const store = ['-export', '-in', `${name}.pem`, '-inkey', `${name}.key`, '-out', `${name}.p12`]
    openssl('pkcs12', ...store, '-passout', `pass:${STORE_PASSWORD}`)
  }
  const trust = ['-importcert', '-noprompt', '-alias', 'ca', '-file', 'ca.pem', '-keystore', 'trust.p12']
  execFileSync('keytool', [...trust, '-storetype', 'PKCS12', '-storepass', STORE_PASSWORD], {
    cwd: folder,
    stdio: 'pipe',
  })
  return { path }

  function sign(name: string, until: string): void {
    writeFileSync(path('index.txt'), '')
    writeFileSync(path('ca.cnf'), AUTHORITY)
    const dates = ['-startdate', '20200101000000Z', '-enddate', until]
    const files = ['-in', `${name}.csr`, '-out', `${name}.pem`, '-extfile', 'names', '-create_serial', '-outdir', '.']
    openssl('ca', '-batch', '-notext', '-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key', ...dates, ...files)
  }
}

const AUTHORITY = `[ca]
default_ca = own
[own]
database = index.txt
serial = serial
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
`
