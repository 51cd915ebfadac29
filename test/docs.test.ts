import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.md') ? [`docs/${name}`] : [],
  ),
]
const CODE = ['schemas', 'services', 'streams', 'infra', 'test']
/** A link to a heading of another page, or of the same page when it names none. */
const HEADING_LINK = /\]\((?!https?:|mailto:)([^)#\s]*\.md|)#([^)]+)\)/g
const LINK = /\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g
/** A path of the repository in a sentence, such as `services/main.ts`. */
const NAMED_PATH =
  /`((?:schemas|services|streams|infra|test|docs)\/[\w./-]*\w\.(?:ts|tsx|sql|lua|md|sh|avsc|yaml|conf))`/g

const linksOf = (page: string, text: string) => [...text.matchAll(LINK)].map(([, to]) => join(dirname(page), to!))
const headingLinksOf = (page: string, text: string) =>
  [...text.matchAll(HEADING_LINK)].map(([, to, heading]) => [to ? join(dirname(page), to) : page, heading!] as const)
/** The headings of a page as links name them: in lower case, with dashes for spaces, without punctuation. */
const headingsOf = (text: string) =>
  [...text.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
const COMMENT_LINE = /^\s*(?:\*|\/\/|\/\*\*|--).*/gm
/** The end of a path: a comment may leave out folders, such as those that it shares with the file that it names. */
const FILE_NAME = /[\w./-]*\w\.(?:tsx?|sql|lua|md|sh)\b/g
const pathsInComments = (text: string) =>
  [...text.matchAll(COMMENT_LINE)].flatMap(([line]) =>
    (line.match(FILE_NAME) ?? []).map((name) => name.replace(/^[./]+/, '')),
  )
const namedPathsOf = (text: string) => [...text.matchAll(NAMED_PATH)].map(([, path]) => path!)

describe('the documentation', () => {
  it.each(pages)('%s names only files that exist', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const missing = [...linksOf(page, text), ...namedPathsOf(text)].filter((path) => !existsSync(join(root, path)))
    expect(missing).toEqual([])
  })

  it.each(pages)('%s links only to headings that exist', (page) => {
    const missing = headingLinksOf(page, readFileSync(join(root, page), 'utf8')).filter(
      ([to, heading]) => !headingsOf(readFileSync(join(root, to), 'utf8')).includes(heading),
    )
    expect(missing).toEqual([])
  })

  it('is right in comments, too, about the names of files', () => {
    const named = CODE.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `/${folder}/${name}`),
    ).filter((path) => !/node_modules|\/dist\//.test(path))
    const files = [...named, ...pages.map((page) => `/${page}`)]
    const missing = named
      .filter((path) => /\.(tsx?|sql)$/.test(path) && !path.endsWith('.d.ts'))
      .flatMap((path) =>
        pathsInComments(readFileSync(root + path, 'utf8')).flatMap((name) =>
          files.some((file) => file.endsWith(`/${name}`)) ? [] : [`${path}: ${name}`],
        ),
      )
    expect(missing).toEqual([])
    expect(pathsInComments('/** See `a/b.ts`,\n * c.sql. */\nimport d from `e.ts` // f.ts\n  // ./g.md')).toEqual([
      'a/b.ts',
      'c.sql',
      'g.md',
    ])
  })

  it('would notice a link and a path that lead nowhere', () => {
    const text = 'See [the steps](../services/none.ts#top) and `streams/none.ts`; not [this](https://example.com/a.ts).'
    const headings = headingLinksOf('docs/page.md', 'See [below](#the-end), [there](other.md#top) and [code](a.ts#L1)')
    expect(headings).toEqual([
      ['docs/page.md', 'the-end'],
      ['docs/other.md', 'top'],
    ])
    expect(headingsOf('# The end: of `it`\n```\n# no\n```\n## Top')).toEqual(['the-end-of-it', 'top'])
    expect([...linksOf('docs/page.md', text), ...namedPathsOf(text)]).toEqual(['services/none.ts', 'streams/none.ts'])
  })
})
