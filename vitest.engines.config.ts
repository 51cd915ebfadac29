import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { limits } from './test/limits.ts'

/** In their order: the suites that wait longest begin first, and the others end beside them. */
const longest = ['brokers/brokers.test.ts', 'faults/faults.test.ts', 'faults/takeover.test.ts']
const rankOf = ({ moduleId }: TestSpecification) => longest.findIndex((each) => moduleId.endsWith(each)) >>> 0

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

/** The suites that need the real engines: `make test-engines`. Each file has a namespace or engines of its own. */
export default defineConfig({
  test: {
    include: ['test/engines/**/*.test.ts'],
    pool: 'forks',
    // They wait for sessions to expire and engines to start more than they work.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    ...limits,
  },
})
