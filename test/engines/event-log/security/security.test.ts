import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { type Certificates, makeCertificates } from './certificates.ts'
import { connectionsSuite } from './connections.suite.ts'
import { rightsSuite } from './rights.suite.ts'
import { type SecureBroker, startSecureBroker } from './secure-broker.ts'

// A broker takes seconds to format and to start, so that both suites share one.
const folder = mkdtempSync(join(tmpdir(), 'endcap-security-'))
const given = {} as { broker: SecureBroker; certificates: Certificates }
beforeAll(async () => {
  given.certificates = makeCertificates(folder)
  given.broker = await startSecureBroker(folder, given.certificates)
})
afterAll(async () => {
  await given.broker?.stop()
  rmSync(folder, { recursive: true })
})

describe('a connection', () => connectionsSuite(given))
describe('rights', () => rightsSuite(given))
