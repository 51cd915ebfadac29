import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
]
const LINK = /\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g
/** A path of the repository that a sentence names, like `services/main.ts`. */
const NAMED_PATH =
  /`((?:schemas|services|streams|infra|test|docs)\/[\w./-]*\w\.(?:ts|tsx|sql|lua|md|sh|avsc|yaml|conf))`/g

const linksOf = (page: string, text: string) => [...text.matchAll(LINK)].map(([, to]) => join(dirname(page), to!))
const namedPathsOf = (text: string) => [...text.matchAll(NAMED_PATH)].map(([, path]) => path!)

describe('the documentation', () => {
  it.each(pages)('%s names only files that exist', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const missing = [...linksOf(page, text), ...namedPathsOf(text)].filter((path) => !existsSync(join(root, path)))
    expect(missing).toEqual([])
  })

  it('would notice a link and a path that lead nowhere', () => {
    const text = 'See [the steps](../services/none.ts#top) and `streams/none.ts`; not [this](https://example.com/a.ts).'
    expect([...linksOf('docs/page.md', text), ...namedPathsOf(text)]).toEqual(['services/none.ts', 'streams/none.ts'])
  })
})
