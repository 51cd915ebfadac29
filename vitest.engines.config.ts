import { defineConfig } from 'vitest/config'
import { common } from './test/suite/common.ts'
import { longestFirst } from './test/suite/longest-first.ts'

/** The suites that need the real engines: `make test-engines`. Each file has a namespace or engines of its own. */
export default defineConfig({
  test: {
    include: ['test/engines/**/*.test.ts'],
    pool: 'forks',
    // They wait for sessions to expire and engines to start more than they work.
    maxWorkers: 3,
    sequence: {
      sequencer: longestFirst([
        'engines/faults/faults.test.ts',
        'faults/takeover.test.ts',
        'brokers/brokers.test.ts',
        'event-log/event-log.test.ts',
        'event-log/faults.test.ts',
        'product-index/product-index.test.ts',
      ]),
    },
    ...common,
  },
})
