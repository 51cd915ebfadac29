import { defineConfig } from 'vitest/config'

/** The suites that need the real engines: `make test-engines`. */
export default defineConfig({
  test: {
    include: ['test/engines/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
