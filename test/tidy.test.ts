import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const SOURCE_FOLDERS = ['schemas', 'services', 'streams', 'infra']
/** The path below services/. */
const GENERATED = 'panel/web/client/schema.d.ts'
const LINES_MAX = 300
const FILES_PER_FOLDER_MAX = 12
const LINES_ALONE_MIN = 40
/**
 * Files that may be short: ports, engines behind them, entries of workers and processes, mounted routes, pages and their texts,
 * streams and rules of the domain.
 */
const STANDS_ALONE = new RegExp(
  [
    String.raw`/port\.ts$|\.(worker|child)\.ts$|/[a-z-]*worker\.ts$`,
    String.raw`^infra/rate-limits/(redis|embedded)/rate-limits\.ts$|^schemas/(avro|http)/`,
    String.raw`^services/roles/|/app\.ts$|^services/registry/operations/audit\.ts$|-page\.tsx$|/pages/home\.ts$|^services/panel/web/messages/`,
    String.raw`^services/domain/|^streams/(judge/watermark|sink/time-zones)\.ts$`,
  ].join('|'),
)
/** Folders with many files: released schemas and migrations, to which files are only added, and folders that are built or generated. */
const MANY_FILES = /^schemas\/avro\/released$|^infra\/analytics\/migrations$|\/dist(\/|$)|node_modules/
/** Fewer files than this means that the walk itself is broken. */
const FILES_READ_MIN = 30

/** Packages of engines. Only `infra/` may import them. */
const ENGINE_PACKAGES = /^(chdb|@clickhouse\/|@elastic\/|kafkajs|ioredis|node:sqlite)/

/** The internals of kafkajs, including its types. Only the client folder may import them, so that another client stays possible. */
const KAFKAJS_INTERNALS = /^kafkajs\/./
const KAFKAJS_CLIENT = 'infra/event-log/kafka/client/'

/** The composition roots: the only files that may import concrete engines. */
const COMPOSITION =
  /^services\/(main|start|backup|migrate|rebuild|repartition|restore|restore-log|with-engines|roles\/(threads\/)?[^/]+|process\/api|demo\/main|demo\/traffic\/main)\.ts$/

/** The browser's code is a separate program. */
const BROWSER_CODE = /\/web\//

interface SourceFile {
  path: string
  imports: string[]
  exportedTypes: string[]
  lines: number
}

function readSources(): SourceFile[] {
  return SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules') && name !== GENERATED)
      .map((name) => {
        const path = `${folder}/${name}`
        const text = readFileSync(join(root, path), 'utf8')
        const lines = text.split('\n').length - 1
        return { path, imports: importsOf(path, text), exportedTypes: exportedTypesOf(text), lines }
      }),
  )
}

/** A file's imports: paths from the root for our own files, names for packages. */
function importsOf(path: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'|new URL\(\s*'([^']+\.ts)'/g)].map(
    (match) => (match[1] ?? match[2])!,
  )
  return specifiers.map((specifier) =>
    specifier.startsWith('.') ? relative('.', normalize(join(dirname(path), specifier))) : specifier,
  )
}

function exportedTypesOf(text: string): string[] {
  return [...text.matchAll(/^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm)].map((match) => match[1]!)
}

/** The names of types that several files export, with these files. */
function sharedTypeNames(files: readonly Pick<SourceFile, 'path' | 'exportedTypes'>[]): string[] {
  const pathsByName = new Map<string, string[]>()
  for (const { path, exportedTypes } of files) {
    for (const name of exportedTypes) pathsByName.set(name, [...(pathsByName.get(name) ?? []), path])
  }
  return [...pathsByName].filter(([, paths]) => paths.length > 1).map(([name, paths]) => `${name}: ${paths.join(', ')}`)
}

/** The part of the program to which a file belongs. */
function partOf(path: string): string {
  if (path.startsWith('services/domain/')) return 'domain'
  const service = path.match(/^services\/([^/]+)\//)?.[1]
  if (service) return `services/${service}`
  return path.split('/')[0]!
}

/** The folders that every service may import. */
const SHARED_BY_SERVICES = new Set(['services/http', 'services/process', 'services/callers', 'services/replicas'])

/** The reason why an import is not allowed; null if it is allowed. */
function violation(from: string, to: string): string | null {
  const part = partOf(from)
  if (KAFKAJS_INTERNALS.test(to) && !from.startsWith(KAFKAJS_CLIENT))
    return `only ${KAFKAJS_CLIENT} imports from inside kafkajs`
  if (ENGINE_PACKAGES.test(to)) return part === 'infra' ? null : 'only infra/ imports an engine'
  if (!SOURCE_FOLDERS.some((folder) => to.startsWith(`${folder}/`))) return null
  const target = partOf(to)
  if (target === 'schemas' || target === part) return null
  if (part === 'schemas') return 'schemas import nothing of ours'
  if (target === 'domain') return null
  if (part === 'domain') return 'the domain imports only schemas'
  if (COMPOSITION.test(from)) return null
  if (target === 'infra') {
    if (
      /\/port\.ts$/.test(to) ||
      /^infra\/(metrics\/(metrics|requests)|threads\/(calls|worker|on-demand|slices)|within|together|counters\/(shards|fingerprint(-index)?)|event-log\/(epochs|erasures-tail|log-epoch))\.ts$/.test(
        to,
      ) ||
      /^infra\/analytics\/(queries|audit|retention)/.test(to)
    )
      return null
    return 'only the composition root meets concrete engines'
  }
  if (part === 'infra') return 'infra imports only schemas and the domain'
  if (part === 'services/demo')
    return SHARED_BY_SERVICES.has(target) ? null : 'the demo drives the program from outside'
  if (part === 'streams') return target === 'services/replicas' ? null : 'streams do not import services'
  if (part.startsWith('services') && SHARED_BY_SERVICES.has(target)) return null
  return `${part} does not import ${target}`
}

/** The files of one circle of imports, with the first repeated at the end; null if there is none. */
function circleIn(importsByPath: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): string[] | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return null
    for (const to of importsByPath.get(path) ?? []) {
      const circle = visit(importsByPath.has(to) ? to : (extensionOf(to, importsByPath) ?? to), [...trail, path])
      if (circle) return circle
    }
    done.add(path)
    return null
  }
  for (const path of importsByPath.keys()) {
    const circle = visit(path, [])
    if (circle) return circle
  }
  return null
}

/** Finds the extension, which the panel's imports may omit because of its bundler. */
function extensionOf(path: string, importsByPath: ReadonlyMap<string, unknown>): string | undefined {
  return ['.ts', '.tsx'].map((extension) => path + extension).find((each) => importsByPath.has(each))
}

describe('tidy', () => {
  const files = readSources()
  const pathsOf = new Map(files.map(({ path, imports }) => [path, imports]))

  it('reads the whole source tree', () => {
    expect(files.length).toBeGreaterThanOrEqual(FILES_READ_MIN)
    expect(files.flatMap((file) => file.imports).length).toBeGreaterThan(FILES_READ_MIN)
  })

  it('keeps imports pointing one way', () => {
    const found = files.flatMap((file) =>
      file.imports.flatMap((to) => {
        const why = violation(file.path, to)
        return why ? [`${file.path} -> ${to}: ${why}`] : []
      }),
    )
    expect(found).toEqual([])
  })

  it.each([
    ['schemas/wire/codec.ts', "import { a } from '../../services/domain/money/money.ts'"],
    ['services/domain/money/money.ts', "import { a } from '../../../infra/event-log/port.ts'"],
    ['services/selection/select.ts', "import { a } from '../intake/accept.ts'"],
    ['services/selection/select.ts', "import { a } from '../../streams/sink.ts'"],
    ['services/selection/select.ts', "import { a } from '../../infra/product-index/embedded.ts'"],
    ['services/intake/accept.ts', "import { Kafka } from 'kafkajs'"],
    ['infra/event-log/kafka/group/membership.ts', "import protocol from 'kafkajs/src/consumer/assignerProtocol.js'"],
    ['infra/event-log/kafka/read/reader.ts', "import type { Broker } from 'kafkajs/internals'"],
    ['streams/sink/sink.ts', "import { DatabaseSync } from 'node:sqlite'"],
    ['streams/sink/sink.ts', "import { a } from '../../services/registry/resources/store.ts'"],
    ['infra/event-log/embedded/event-log.ts', "import { a } from '../../../services/http/server.ts'"],
  ])('would catch a wrong import in %s: %s', (path, line) => {
    expect(importsOf(path, line).map((to) => violation(path, to))).not.toContain(null)
  })

  it(`keeps files under ${LINES_MAX} lines`, () => {
    const long = files.filter((file) => file.lines > LINES_MAX)
    expect(long.map((file) => `${file.path}: ${file.lines}`)).toEqual([])
  })

  it(`keeps files of tests under ${LINES_MAX} lines, too`, () => {
    const lines = (name: string) => readFileSync(join(root, 'test', name), 'utf8').split('\n').length - 1
    const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(test|suite)\.ts$/.test(name),
    )
    expect(tests.length).toBeGreaterThanOrEqual(FILES_READ_MIN)
    expect(tests.filter((name) => lines(name) > LINES_MAX)).toEqual([])
  })

  it(`keeps at most ${FILES_PER_FOLDER_MAX} files in a folder`, () => {
    const counts = new Map<string, number>()
    for (const folder of [...SOURCE_FOLDERS, 'test'])
      for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
        const path = relative(root, entry.parentPath)
        if (entry.isFile() && !MANY_FILES.test(path)) counts.set(path, (counts.get(path) ?? 0) + 1)
      }
    expect([...counts].filter(([, count]) => count > FILES_PER_FOLDER_MAX)).toEqual([])
  })

  it(`has no file of fewer than ${LINES_ALONE_MIN} lines that only one other reads`, () => {
    const importers = new Map<string, number>()
    for (const { imports } of files)
      for (const to of new Set(imports)) {
        const path = pathsOf.has(to) ? to : extensionOf(to, pathsOf)
        if (path !== undefined) importers.set(path, (importers.get(path) ?? 0) + 1)
      }
    const slices = files.filter(({ path, lines }) => lines < LINES_ALONE_MIN && importers.get(path) === 1)
    expect(slices.map(({ path }) => path).filter((path) => !STANDS_ALONE.test(path))).toEqual([])
  })

  it('has no imports that go in a circle', () => {
    expect(circleIn(pathsOf)).toBeNull()
  })

  it('would catch a circle', () => {
    const circle = new Map([
      ['a.ts', ['b.ts']],
      ['b.ts', ['c.ts']],
      ['c.ts', ['b.ts']],
    ])
    expect(circleIn(circle)).toEqual(['b.ts', 'c.ts', 'b.ts'])
  })

  it('gives no two exported types of the program one name', () => {
    expect(sharedTypeNames(files.filter(({ path }) => !BROWSER_CODE.test(path)))).toEqual([])
  })

  it('would catch a type that takes the name of another one', () => {
    const given = [
      ['a.ts', 'export interface Offer {}\nexport type Bid = number'],
      ['b.ts', 'interface Bid {}\nexport class Offer {}'],
    ] as const
    const read = given.map(([path, text]) => ({ path, exportedTypes: exportedTypesOf(text) }))
    expect(sharedTypeNames(read)).toEqual(['Offer: a.ts, b.ts'])
  })

  it('reads the environment in one place', () => {
    const readers = files.filter((file) => /process\.env\b/.test(readFileSync(join(root, file.path), 'utf8')))
    expect(readers.map((file) => file.path).filter((path) => !COMPOSITION.test(path))).toEqual([])
  })
})
