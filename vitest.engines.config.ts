import { defineConfig } from 'vitest/config'

/** The suites that need the real engines: `make test-engines`. */
export default defineConfig({
  test: {
    include: ['test/engines/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    // These only end what hangs: on a busy machine of two cores no test comes near them.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
