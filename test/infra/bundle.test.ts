import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleProgram } from '../../infra/bundle.ts'

const PROGRAMS = ['services-demo-main.js', 'services-main.js']

let bundles: string
let folder: string
beforeAll(async () => {
  bundles = mkdtempSync(join(tmpdir(), 'bundle-'))
  folder = await bundleProgram(bundles)
})
afterAll(() => rmSync(bundles, { recursive: true }))

const loaded = (program: string) => readFileSync(join(bundles, program), 'utf8')

/** Leaves what an earlier build of other sources would have left. */
function makeFormer(name: string): void {
  mkdirSync(join(bundles, name))
  for (const program of PROGRAMS) {
    writeFileSync(join(bundles, name, program), '')
    writeFileSync(join(bundles, program), `import './${name}/${program}'\n`)
  }
}

it('a build leaves the one before it to the programs that run, and no other', async () => {
  for (const name of ['oldest', 'former']) makeFormer(name)
  writeFileSync(join(bundles, 'of-an-earlier-layout.js'), '')
  expect(await bundleProgram(bundles)).toBe(folder)
  const left = [basename(folder), 'former', ...PROGRAMS].sort()
  expect(readdirSync(bundles).sort()).toEqual(left)
  for (const program of PROGRAMS) expect(loaded(program)).toBe(`import './${basename(folder)}/${program}'\n`)

  await bundleProgram(bundles)
  expect(readdirSync(bundles).sort()).toEqual(left)
})

it('the bundle has the program, the demo, and every thread and process that they start', () => {
  const started = readdirSync(folder).filter((name) => /\.js$/.test(name) && !/-[A-Z0-9]{8}\.js$/.test(name))
  expect(started.sort()).toEqual([
    'infra-analytics-embedded-worker.js',
    'infra-counters-embedded-worker.js',
    'infra-event-log-embedded-worker.js',
    'infra-product-index-embedded-search-worker.js',
    'infra-product-index-embedded-writer-worker.js',
    'services-api-docs-docs.worker.js',
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
