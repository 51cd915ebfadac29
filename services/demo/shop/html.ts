/** HTML that is safe to send. Made by `html`, which escapes every value that is not Html itself. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | null | undefined | false | readonly Part[]

/** Escapes values as text, joins lists, and leaves out null, undefined and false. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((all, string, index) => all + toHtml(parts[index - 1]) + string))
}

/** Marks our own SVG as safe. */
export const trusted = (text: string): Html => new Html(text)

function toHtml(part: Part): string {
  if (part instanceof Html) return part.text
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'object') return part.map(toHtml).join('')
  return escapeHtml(String(part))
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => ESCAPES[char]!)

/** JSON for a data script element, escaped so that it cannot end the element. */
export const json = (value: unknown): Html => new Html(JSON.stringify(value).replaceAll('<', '\\u003c'))
