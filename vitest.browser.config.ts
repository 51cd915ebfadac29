import { defineConfig } from 'vitest/config'
import { limits } from './test/limits.ts'

/** The suites that need Chromium and what `make build` builds: `make test-browser`. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    // Pages that are open at the same time, in the tests that say so.
    maxConcurrency: 3,
    ...limits,
  },
})
