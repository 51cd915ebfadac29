import { defineConfig } from 'vitest/config'

/** The suites that need Chromium and what `make build` builds: `make test-browser`. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 90_000,
  },
})
