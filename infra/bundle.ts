/**
 * Bundles the program into `dist/`, where each thread loads a few files in place of hundreds: a start takes a fifth less processor
 * time. Only the files of a start are bundled; the program runs from its sources as well.
 *
 *     node infra/bundle.ts
 */
import { globSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, type OutputFile, type Plugin } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')
/** All files are in this one folder, from which the sources are told by `../`. */
export const BUNDLE_FOLDER = join(ROOT, 'dist')
const PROGRAMS = ['services/main.ts', 'services/demo/main.ts']
const SOURCES = '{schemas,services,streams,infra}/**/*.ts'
/** Runs in a browser, and is built by itself. */
const NOT_SOURCES = ['services/panel/web/**', 'services/selection/script/web/**']
/** A package of hundreds of ES modules. All others are loaded from node_modules. */
const BUNDLED_PACKAGE = /^typebox(\/|$)/

/** How a module names the file of a thread or process that it starts; and what else it asks of its own place. */
const STARTED = /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g
const PLACE = new RegExp(`${STARTED.source}|import\\.meta\\.(\\w+)`, 'g')

/** The name in the bundle of a source that is started, `services-demo-main.js`. */
export function bundled(source: string): string {
  return `${source.replaceAll('/', '-').replace(/\.ts$/, '')}.js`
}

function startedSources(): string[] {
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: NOT_SOURCES })
  const started = sources.flatMap((source) =>
    [...readFileSync(join(ROOT, source), 'utf8').matchAll(STARTED)].map(([, file]) => join(dirname(source), file!)),
  )
  return [...new Set([...PROGRAMS, ...started])]
}

/** Modules find what lies beside their source, such as SQL, and start threads from the bundle. */
const places: Plugin = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = relative(ROOT, path)
      const contents = (await readFile(path, 'utf8')).replaceAll(PLACE, (_, started?: string, member?: string) => {
        if (started) return `new URL('./${bundled(join(dirname(source), started))}', import.meta.url)`
        if (member === 'url') return `new URL('../${source}', import.meta.url).href`
        if (member === 'dirname') return `(import.meta.dirname + '/../${dirname(source)}')`
        throw new Error(`${source} asks for import.meta.${member}, which says nothing in a bundle`)
      })
      return { contents, loader: 'ts' }
    })
  },
}

const packages: Plugin = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || BUNDLED_PACKAGE.test(path) ? undefined : { path, external: true },
    )
  },
}

/** May run beside itself and beside programs that start: files that stay the same are left alone, others are replaced whole. */
export async function bundleProgram(): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(startedSources().map((source) => [bundled(source).slice(0, -3), source])),
    outdir: BUNDLE_FOLDER,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    sourcemap: 'linked',
    sourcesContent: false,
    write: false,
    tsconfigRaw: {},
    plugins: [packages, places],
    logLevel: 'warning',
  })
  await mkdir(BUNDLE_FOLDER, { recursive: true })
  await Promise.all(outputFiles.map(replaceFile))
  const made = new Set(outputFiles.map(({ path }) => path))
  for (const name of await readdir(BUNDLE_FOLDER)) {
    const path = join(BUNDLE_FOLDER, name)
    if (!made.has(path) && !name.endsWith(UNFINISHED)) await rm(path, { force: true })
  }
}

const UNFINISHED = '.new'

async function replaceFile({ path, contents }: OutputFile): Promise<void> {
  const before = await readFile(path).catch(() => null)
  if (before?.equals(contents)) return
  const unfinished = `${path}.${process.pid}${UNFINISHED}`
  await writeFile(unfinished, contents)
  await rename(unfinished, path)
}

if (import.meta.main) await bundleProgram()
