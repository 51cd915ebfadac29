import { type IssueCode, type ItemIssue, issueCodes } from '../issue-codes.ts'
import type { FeedElement, FeedItem } from './item.ts'
import { plainText } from './plain-text.ts'

const VALUE_SHOWN_CHARS = 60
const NONE: readonly FeedElement[] = []

/** A value as read: its text on one line, the text as its sender wrote it, and its line in the file. */
export interface Value {
  text: string
  written: string
  line: number
}

/** Looks up the elements of one item and collects issues. */
export class ItemReader {
  readonly issues: ItemIssue[] = []
  readonly #item: FeedItem
  /** Elements with content, by name. An empty element counts as missing. */
  readonly #google = new Map<string, FeedElement[]>()
  readonly #plain = new Map<string, FeedElement[]>()
  readonly #custom: FeedElement[] = []
  #productId: string | null = null

  constructor(item: FeedItem) {
    this.#item = item
    for (const element of item.elements) {
      if (element.href === null && element.text.trim() === '') continue
      if (element.space === 'custom') this.#custom.push(element)
      else {
        const byName = element.space === 'google' ? this.#google : this.#plain
        const same = byName.get(element.name)
        if (same) same.push(element)
        else byName.set(element.name, [element])
      }
    }
  }

  /** Sets the product id of all issues. */
  identify(id: string): void {
    this.#productId = id
    for (const issue of this.issues) issue.productId = id
  }

  report(code: IssueCode, field: string, message: string, line = this.#item.line): void {
    this.issues.push({ severity: issueCodes[code].severity, code, field, line, message, productId: this.#productId })
  }

  /** Reports that the price is in another currency than the feed. */
  reportCurrency(currency: string, message: string, line: number): void {
    this.report('CURRENCY_MISMATCH', 'price', message, line)
    this.issues.at(-1)!.currency = currency
  }

  /** The elements of the first of these names that has any. Names are looked up in Google's namespace first, then among plain elements. */
  elements(...names: string[]): readonly FeedElement[] {
    for (const byName of [this.#google, this.#plain]) {
      for (const name of names) {
        const found = byName.get(name)
        if (found) return found
      }
    }
    return NONE
  }

  custom(): readonly FeedElement[] {
    return this.#custom
  }

  /** The value of a field, under the first of its names that has one. */
  value(...names: string[]): Value | null {
    const [first, ...others] = this.elements(...names)
    if (!first) return null
    const text = plainText(first.text)
    if (text === '') return null
    if (others.some((other) => plainText(other.text) !== text)) {
      this.report(
        'REPEATED_FIELD',
        first.name,
        `Only the first of ${others.length + 1} values is used`,
        others[0]!.line,
      )
    }
    this.checkEncoding(first)
    return { text, written: first.written ?? text, line: first.line }
  }

  /** A value that is ignored when it is too long. */
  short(maxChars: number, ...names: string[]): string | null {
    const value = this.value(...names)
    if (!value || this.fits(names[0]!, value, maxChars)) return value?.text ?? null
    return null
  }

  fits(field: string, value: Pick<Value, 'text' | 'line'>, maxChars: number): boolean {
    if (value.text.length <= maxChars) return true
    this.report(
      'VALUE_TOO_LONG',
      field,
      `Has ${value.text.length} characters; at most ${maxChars} are allowed`,
      value.line,
    )
    return false
  }

  /** A value that is cut when it is too long. */
  cut(field: string, value: Value, maxChars: number): string {
    return this.fits(field, value, maxChars) ? value.text : value.text.slice(0, maxChars).toWellFormed().trimEnd()
  }

  /** An optional value that must have one of the accepted forms. */
  known<T>(read: (text: string) => T | null, field: string): T | null {
    const value = this.value(field)
    if (!value) return null
    const known = read(value.text)
    if (known === null) this.report('INVALID_VALUE', field, `${shown(value.text)} is not an accepted value`, value.line)
    return known
  }

  checkEncoding({ name, text, line }: FeedElement): void {
    if (text.includes('\ufffd')) {
      this.report('ENCODING', name, 'Some bytes are not valid in the encoding that the feed declares', line)
    }
  }
}

/** Quotes a value for a message. */
export function shown(text: string): string {
  return `"${text.length > VALUE_SHOWN_CHARS ? `${text.slice(0, VALUE_SHOWN_CHARS).toWellFormed()}…` : text}"`
}
