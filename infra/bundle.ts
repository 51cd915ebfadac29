/**
 * Bundles the program into `dist/`, so that each thread loads a few files instead of hundreds, and a start takes a fifth less
 * processor time. Only the files that a start loads are bundled; the program also runs from its sources.
 *
 *     node infra/bundle.ts
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')
/** Each build is in a folder of its own in this one; next to them are the programs, which load the newest. */
export const BUNDLE_FOLDER = join(ROOT, 'dist')
const PROGRAMS = ['services/main.ts', 'services/demo/main.ts']
const SOURCES = '{schemas,services,streams,infra}/**/*.ts'
/** Code that runs in a browser and is built separately. */
const NOT_SOURCES = ['services/panel/web/**', 'services/selection/script/web/**']
/** This package has hundreds of ES modules, so it is bundled. All others are loaded from node_modules. */
const BUNDLED_PACKAGE = /^typebox(\/|$)/

/** How a module names the file of a thread or process that it starts. */
const STARTED = /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g
/** The same, and every other use that a module makes of its own location. */
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

/** Makes modules find the files next to their source, such as SQL, and start threads from the bundle. */
const places: Plugin = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = relative(ROOT, path)
      const contents = (await readFile(path, 'utf8')).replaceAll(PLACE, (_, started?: string, member?: string) => {
        if (started) return `new URL('./${bundled(join(dirname(source), started))}', import.meta.url)`
        if (member === 'url') return `new URL('../../${source}', import.meta.url).href`
        if (member === 'dirname') return `(import.meta.dirname + '/../../${dirname(source)}')`
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

/**
 * Puts a build into a folder of its own, named by its content, and points the programs to it. A program that runs meanwhile goes on
 * with all files of its own build, also those that it loads later, until two newer ones were made. May run twice at once, and while
 * programs start.
 * @param bundleFolder the folder of all builds, in the root of the repository unless the build is not to be run.
 * @returns the folder of the build.
 */
export async function bundleProgram(bundleFolder = BUNDLE_FOLDER): Promise<string> {
  const outdir = join(bundleFolder, 'build')
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(startedSources().map((source) => [bundled(source).slice(0, -3), source])),
    outdir,
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
  const files = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }))
  const id = idOf(files)
  const folder = join(bundleFolder, id)
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}${UNFINISHED}`
    await mkdir(unfinished, { recursive: true })
    await Promise.all(files.map(({ name, contents }) => writeFile(join(unfinished, name), contents)))
    await rename(unfinished, folder).catch(ignoreExisting)
  }
  const former = await Promise.all(PROGRAMS.map((source) => pointTo(join(bundleFolder, bundled(source)), id)))
  // When nothing has changed, the build before this one may still run.
  if (former.every((each) => each === id)) return folder
  const kept = new Set([id, ...former, ...PROGRAMS.map(bundled)])
  for (const name of await readdir(bundleFolder)) {
    if (!kept.has(name) && !name.endsWith(UNFINISHED))
      await rm(join(bundleFolder, name), { recursive: true, force: true })
  }
  return folder
}

const UNFINISHED = '.new'
const ID_CHARACTERS = 16
const POINTER = /^import '\.\/(\w+)\//

function idOf(files: readonly { name: string; contents: Uint8Array }[]): string {
  const hash = createHash('sha256')
  for (const { name, contents } of files.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    hash.update(`${name} ${contents.length} `).update(contents)
  return hash.digest('hex').slice(0, ID_CHARACTERS)
}

/** Makes the file of a program run the one of a build. @returns the id of the build that it ran before, if any. */
async function pointTo(path: string, id: string): Promise<string | null> {
  const former = POINTER.exec(await readFile(path, 'utf8').catch(() => ''))?.[1] ?? null
  if (former === id) return former
  const unfinished = `${path}.${process.pid}${UNFINISHED}`
  await writeFile(unfinished, `import './${id}/${basename(path)}'\n`)
  await rename(unfinished, path)
  return former
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
}

if (import.meta.main) await bundleProgram()
