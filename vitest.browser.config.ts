import { defineConfig } from 'vitest/config'
import { common } from './test/suite/common.ts'
import { longestFirst } from './test/suite/longest-first.ts'

/**
 * The suites that need Chromium and what `make build` builds: `make test-browser`. The files of a process share a program, unless
 * one opens its own.
 */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    pool: 'forks',
    // A page waits for the program, and the program for a disk.
    maxWorkers: 3,
    // Files share a process, the modules it has loaded and its browser: a file closes the pages that it opened.
    isolate: false,
    // Node loads the modules itself: nothing is rewritten, and an import costs nothing where it is used.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: longestFirst(['demo/demo.test.ts', 'frame/outage.test.ts', 'frame/weight.test.ts']) },
    // Pages that are open at the same time, in the tests that say so.
    maxConcurrency: 3,
    ...common,
    globalSetup: [...common.globalSetup, 'test/suite/no-settings.ts'],
  },
})
