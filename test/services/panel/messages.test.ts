import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { describe, expect, it } from 'vitest'

const WEB = join(import.meta.dirname, '../../../services/panel/web')
/** Properties and attributes whose values people read. */
const SHOWN =
  /^(title|label|description|placeholder|hint|message|empty|saved|confirm|alt|text|note|aria-label|aria-description|(un)?checkedLabel)$/
const HAS_WORD = /\p{L}{2}/u
/** Values of enumerations, paths and identifiers are not texts that people read. */
const IS_NAME = /^[\w./:-]+$/

interface Node {
  type: string
  value?: unknown
  expression?: Node
  quasis?: { value: { raw: string } }[]
}

/** Texts in the code of a file that belong in a catalogue. */
function looseTexts(name: string, code: string): string[] {
  const { program, errors } = parseSync(name, code, { lang: name.endsWith('x') ? 'tsx' : 'ts' })
  if (errors.length > 0) throw new Error(`${name} cannot be parsed: ${errors[0]!.message}`)
  const found: string[] = []
  const textOf = (node: Node | undefined): string | undefined => {
    if (node?.type === 'JSXExpressionContainer') return textOf(node.expression)
    if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
    if (node?.type === 'TemplateLiteral') return node.quasis!.map(({ value }) => value.raw).join('')
    return undefined
  }
  const check = (text: string | undefined, mayBeName: boolean) => {
    if (text === undefined || !HAS_WORD.test(text)) return
    if (mayBeName && IS_NAME.test(text) && !/^\p{Lu}\p{Ll}/u.test(text)) return
    found.push(`${name}: ${text.trim()}`)
  }
  // biome-ignore-start lint/correctness/noComponentHookFactories: these are kinds of nodes
  new Visitor({
    JSXText: ({ value }) => check(value, false),
    JSXAttribute: (node) => {
      const { name, value } = node as unknown as { name: { name: string }; value?: Node }
      if (SHOWN.test(name.name)) check(textOf(value), true)
    },
    JSXExpressionContainer: ({ expression }) => {
      const text = textOf(expression as unknown as Node)
      if (text?.includes(' ')) check(text, true)
    },
    Property: (node) => {
      const { key, value } = node as unknown as { key: { name?: string }; value: Node }
      if (key.name !== undefined && SHOWN.test(key.name)) check(textOf(value), true)
    },
  }).visit(program)
  // biome-ignore-end lint/correctness/noComponentHookFactories: these are kinds of nodes
  return [...new Set(found)]
}

describe('texts of the panel', () => {
  const files = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts') && !name.startsWith('messages/'),
  )

  it('all lie in the catalogues', () => {
    expect(files.length).toBeGreaterThan(100)
    expect(files.flatMap((name) => looseTexts(name, readFileSync(join(WEB, name), 'utf8')))).toEqual([])
  })

  it.each([
    ['<p>Save it</p>', 'Save it'],
    ['<Field label="Name" />', 'Name'],
    [['<Field label={`$', '{n} of them`} />'].join(''), 'of them'],
    ["<p>{'Save it'}</p>", 'Save it'],
    ["const column = { title: 'Spend' }", 'Spend'],
    ["show({ message: 'It is saved' })", 'It is saved'],
  ])('would be found in %s', (code, text) => {
    expect(looseTexts('a.tsx', `export const a = () => { ${code.startsWith('<') ? `return ${code}` : code} }`)).toEqual(
      [`a.tsx: ${text}`],
    )
  })

  it.each([
    '<p>{count} × {price}</p>',
    '<Button variant="default" label={name} />',
    "const a = { message: 'SOLD_OUT' }",
  ])('takes nothing else for a text: %s', (code) => {
    const body = code.startsWith('<') ? `return ${code}` : code
    expect(looseTexts('a.tsx', `export const a = () => { ${body} }`)).toEqual([])
  })
})
