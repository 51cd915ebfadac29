import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PANEL = join(import.meta.dirname, '../../../../services/panel')
const ENTRY = 'index.html'

interface Chunk {
  file: string
  imports?: string[]
  dynamicImports?: string[]
}
/** The files that Vite has built, by source file. */
const chunks: Record<string, Chunk> = JSON.parse(readFileSync(join(PANEL, 'dist/.vite/manifest.json'), 'utf8'))
const PAGES = readFileSync(join(PANEL, 'web/pages.ts'), 'utf8')

/** Every page of the panel: its path and its source file. */
export const pages = [...PAGES.matchAll(/path: '([^']*)',[^}]*?import\('\.\/([^']+)'\)/g)].map((match) => ({
  path: match[1]!,
  source: match[2]!,
}))

/**
 * The scripts that a browser loads to show a page of the panel.
 * @param withParts includes scripts that are loaded only when a part of the page is first seen or used.
 */
export function scriptsOf(source: string, { withParts }: { withParts: boolean }): Set<string> {
  const found = new Set<string>()
  const add = (name: string) => {
    const { file, imports = [], dynamicImports = [] } = chunks[name]!
    if (found.has(file)) return
    found.add(file)
    for (const each of imports) add(each)
    // The entry lists all pages as dynamic imports, but a browser loads only one of them.
    if (withParts && name !== ENTRY) for (const each of dynamicImports) add(each)
  }
  add(ENTRY)
  add(source)
  return found
}

/** The transferred size of scripts, compressed with brotli. */
export function bytesOf(scripts: Iterable<string>): number {
  return [...scripts].reduce((sum, file) => sum + readFileSync(join(PANEL, 'dist', `${file}.br`)).length, 0)
}
