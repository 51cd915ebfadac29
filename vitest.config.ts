import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { limits } from './test/limits.ts'

/** The suites on the embedded engines: `make test`. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/engines/**', 'test/browser/**', 'node_modules/**'],
    pool: 'forks',
    // Many tests wait for a disk or a clock.
    maxWorkers: availableParallelism() + 1,
    // Files share a process and the modules it has loaded, which takes half of the time: a test undoes what it changes.
    isolate: false,
    ...limits,
  },
})
