import { tries } from '../effort.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Settings of every suite. Its time limits only end tests that hang: even on a busy machine with two cores, no test comes close. */
export const common = {
  globalSetup: ['test/bundle.ts', 'test/new-analytics.ts'],
  testTimeout: tries(240_000, 3_600_000),
  hookTimeout: 240_000,
  expect: { poll: { timeout: 120_000 } },
  // For programs that tests start: with a tenth of a second, as in production, they would show fewer ads on a busy machine.
  env: { SELECTION_DEADLINE_MS: '5000', ...temporaryFolder() },
}
