import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe } from 'vitest'
import { launchBrowser } from '../../harness.ts'
import { everyPageSuite } from './every-page.suite.ts'
import type { Given } from './given.ts'
import { newcomerSuite } from './newcomer.suite.ts'
import { startKilledAndAgain, startsSuite } from './starts.suite.ts'

// Starting the demo takes long, so all of its tests share one start. The tests that start it again come last.
const given = {} as Given
beforeAll(async () => {
  given.demo = await startKilledAndAgain()
  given.browser = await launchBrowser()
})
afterAll(async () => {
  await given.browser?.close()
  await given.demo?.end()
  if (given.demo) await rm(given.demo.folder, { recursive: true, force: true })
})

describe('a newcomer', () => newcomerSuite(given))
describe('every page', () => everyPageSuite(given))
describe('a start of the demo', () => startsSuite(given))
