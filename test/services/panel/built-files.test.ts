import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compressed, formerBuildKept } from '../../../services/panel/built-files.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'built-files-'))
  writeFileSync(join(root, 'index.html'), '<script type="module" src="/main.js"></script>')
  writeFileSync(join(root, 'main.js'), "import('./page.js')")
})
afterAll(() => rmSync(root, { recursive: true }))

const assets = () => readdirSync(join(root, 'dist/assets'))

/** Builds a program whose page has this content. @returns the page's file. */
async function buildWith(content: string): Promise<string> {
  const before = new Set(assets())
  writeFileSync(join(root, 'page.js'), `console.log('${content}')`)
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [formerBuildKept(), compressed()],
    build: { manifest: true, emptyOutDir: false },
  })
  return assets().find((name) => name.startsWith('page-') && !before.has(name))!
}

it('leaves the files of the build before it, with their compressed copies, and of none before that', async () => {
  mkdirSync(join(root, 'dist/assets'), { recursive: true })
  const first = await buildWith('first')
  const second = await buildWith('second')
  expect(assets()).toEqual(expect.arrayContaining([first, `${first}.br`, second]))

  // A build of the same sources is none.
  await buildWith('second')
  expect(assets()).toEqual(expect.arrayContaining([first, second]))

  const third = await buildWith('third')
  expect(assets()).toEqual(expect.arrayContaining([second, third]))
  expect(assets().filter((name) => name.startsWith(first))).toEqual([])
})
