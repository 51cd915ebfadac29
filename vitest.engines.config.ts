import { defineConfig } from 'vitest/config'
import { limits } from './test/limits.ts'

/** The suites that need the real engines: `make test-engines`. */
export default defineConfig({
  test: {
    include: ['test/engines/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    ...limits,
  },
})
