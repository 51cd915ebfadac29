import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

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
    // These only end what hangs: on a busy machine of two cores no test comes near them.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
