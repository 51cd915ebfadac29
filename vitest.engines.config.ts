import { defineConfig } from 'vitest/config'
import { PARTITIONS } from './test/engines/addresses.ts'
import { common } from './test/suite/common.ts'
import { longestFirst } from './test/suite/longest-first.ts'

/** It loads modules a second time, as another version of the program, which only Vite's loader of modules can. */
const OTHER_VERSIONS = ['test/engines/versions.test.ts']

/** The suites that need the real engines: `make test-engines`. Each file has a namespace or engines of its own. */
export default defineConfig({
  test: {
    pool: 'forks',
    // They wait for sessions to expire and engines to start, beside suites that work.
    maxWorkers: 3,
    // Files share a process and the modules it has loaded: a test undoes what it changes.
    isolate: false,
    sequence: {
      sequencer: longestFirst([
        'engines/faults/faults.test.ts',
        'brokers/brokers.test.ts',
        'analytics/cluster.test.ts',
        'product-index/product-index.test.ts',
        'engines/two-processes.test.ts',
        'faults/takeover.test.ts',
        'engines/ended-identifiers.test.ts',
        'restore/mirror-maker.test.ts',
        'damage/damage.test.ts',
      ]),
    },
    ...common,
    env: { ...common.env, KAFKA_PARTITIONS: String(PARTITIONS) },
    // Each look at a report or a topic is work for programs and engines that other tests wait for.
    expect: { poll: { ...common.expect.poll, interval: 200 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'engines',
          include: ['test/engines/**/*.test.ts'],
          exclude: OTHER_VERSIONS,
          // Node loads the modules itself: nothing is rewritten, and an import costs nothing where it is used.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
      { extends: true, test: { name: 'other-versions', include: OTHER_VERSIONS } },
    ],
  },
})
