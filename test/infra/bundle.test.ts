import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BUNDLE_FOLDER, bundleProgram } from '../../infra/bundle.ts'

const written = () =>
  readdirSync(BUNDLE_FOLDER)
    .sort()
    .map((name) => [name, statSync(join(BUNDLE_FOLDER, name)).mtimeMs])

it('a bundle of the same sources leaves the files of the one before as they are, and removes what it lacks', async () => {
  const before = written()
  const stale = join(BUNDLE_FOLDER, 'of-an-earlier-source.js')
  writeFileSync(stale, '')
  await bundleProgram()
  expect(existsSync(stale)).toBe(false)
  expect(written()).toEqual(before)
})

it('the bundle has the program, the demo, and every thread and process that they start', () => {
  const started = readdirSync(BUNDLE_FOLDER).filter((name) => /\.js$/.test(name) && !/-[A-Z0-9]{8}\.js$/.test(name))
  expect(started.sort()).toEqual([
    'infra-analytics-embedded-worker.js',
    'infra-counters-embedded-worker.js',
    'infra-event-log-embedded-worker.js',
    'infra-product-index-embedded-search-worker.js',
    'infra-product-index-embedded-writer-worker.js',
    'services-api-docs.worker.js',
    'services-demo-load-banner-art.child.js',
    'services-demo-main.js',
    'services-main.js',
    'services-registry-access-users-password-strength.worker.js',
    'services-registry-products-product-reader.worker.js',
    'services-roles-threads-feeds.worker.js',
    'services-roles-threads-http.worker.js',
    'services-roles-threads-signals.worker.js',
    'services-roles-threads-streams.worker.js',
  ])
})
