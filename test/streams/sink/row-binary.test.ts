import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { openNewAnalytics } from '../../new-analytics.ts'
import { damagedRecords, rowBinarySuite } from './row-binary.suite.ts'

const folder = await mkdtemp(join(tmpdir(), 'row-binary-'))
afterAll(() => rm(folder, { recursive: true }))

describe('embedded', () => rowBinarySuite(() => openNewAnalytics({ folder })))
describe('damaged records', damagedRecords)
