import { tries } from './effort.ts'

/** Of every suite. They only end what hangs: on a busy machine of two cores no test comes near them. */
export const limits = {
  testTimeout: tries(240_000, 3_600_000),
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
}
