import { tries } from '../effort.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Of every suite. Its limits only end what hangs: on a busy machine of two cores no test comes near them. */
export const common = {
  globalSetup: ['test/bundle.ts'],
  testTimeout: tries(240_000, 3_600_000),
  hookTimeout: 240_000,
  expect: { poll: { timeout: 120_000 } },
  // Of the programs that tests start: after a tenth of a second, as shops have it, a busy machine would show fewer ads.
  env: { SELECTION_DEADLINE_MS: '5000', ...temporaryFolder() },
}
