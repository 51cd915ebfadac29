import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openEmbeddedAnalytics } from '../../../../infra/analytics/embedded/analytics.ts'
import { analyticsSuite } from '../../../ports/analytics.suite.ts'

const folder = await mkdtemp(join(tmpdir(), 'analytics-'))
afterAll(() => rm(folder, { recursive: true }))

analyticsSuite('embedded', () => openEmbeddedAnalytics({ folder }))
