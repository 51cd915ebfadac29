import { htmlEntities } from './html-entities.ts'

/** A tag starts with a letter after < or </, so "5 < 6" has none. A tag contains no other <, which keeps the search linear. */
const TAG = /<(\/?)([a-z][a-z0-9]*)[^<>]{0,2000}>/iy
const UNEVEN_SPACE = /[^\S ]| {2}/
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,31}));/gi

/** The text that a reader of the HTML would see, on one line: without tags, with character references resolved and spaces collapsed. */
export function plainText(html: string): string {
  // Feeds often escape once too many times, so there may be tags again after the references are resolved.
  const text = html.includes('&') || html.includes('<') ? stripTags(decodeEntities(stripTags(html))) : html
  // Most texts are on one line already.
  return (UNEVEN_SPACE.test(text) ? text.replace(/\s+/g, ' ') : text).trim()
}

/** True for text in which `plainText` finds a tag or a comment. */
export function hasTags(html: string): boolean {
  if (!html.includes('<') && !html.includes('&')) return false
  const decoded = decodeEntities(html)
  return stripTags(decoded) !== decoded
}

/** Replaces each tag and comment by a space. A comment, script or style that is not closed runs to the end, as in HTML. */
function stripTags(text: string): string {
  let kept = ''
  let at = 0
  while (true) {
    const open = text.indexOf('<', at)
    if (open < 0) return kept + text.slice(at)
    const end = tagEnd(text, open)
    kept += text.slice(at, open) + (end === null ? '<' : ' ')
    at = end ?? open + 1
  }
}

function tagEnd(text: string, open: number): number | null {
  if (text.startsWith('<!--', open)) return after(text, '-->', open + 4)
  TAG.lastIndex = open
  const tag = TAG.exec(text)
  if (!tag) return null
  const [, slash, name] = tag
  const hidden = slash === '' && /^(script|style)$/i.test(name!)
  return hidden ? after(text, '>', after(text, `</${name}`, TAG.lastIndex)) : TAG.lastIndex
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at + mark.length
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return htmlEntities[name] ?? whole
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex!, 16)
    return code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : ' '
  })
}
