import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { common } from './test/suite/common.ts'

const NOT_EMBEDDED = ['test/engines/**', 'test/browser/**', 'node_modules/**']
/** They load modules a second time, as another version of the program, which only Vite's loader of modules can. */
const OTHER_VERSIONS = ['test/streams/runtime/versions.test.ts']

/** The suites on the embedded engines: `make test`. */
export default defineConfig({
  test: {
    pool: 'forks',
    // Many tests wait for a disk or a clock.
    maxWorkers: availableParallelism() + 1,
    // Files share a process and the modules it has loaded, which takes half of the time: a test undoes what it changes.
    isolate: false,
    ...common,
    globalSetup: [...common.globalSetup, 'test/suite/no-settings.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'embedded',
          include: ['test/**/*.test.ts'],
          exclude: [...NOT_EMBEDDED, ...OTHER_VERSIONS],
          // Node loads the modules itself: nothing is rewritten, and an import costs nothing where it is used.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
      { extends: true, test: { name: 'other-versions', include: OTHER_VERSIONS } },
    ],
  },
})
