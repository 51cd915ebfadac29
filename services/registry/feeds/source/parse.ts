import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { FeedFailure } from '../failure.ts'
import { htmlEntities } from '../items/html-entities.ts'
import type { FeedElement, FeedItem } from '../items/item.ts'
import { type ElementName, ElementNames } from './names.ts'

/** Limit of the characters of one item. */
export const ITEM_CHARS_MAX = 1_000_000
/** Limit of the characters of one tag, text or comment, which the parser holds in memory. */
const TOKEN_CHARS_MAX = 4_000_000
const DEPTH_MAX = 32
/** Limit of the elements of one item, including nested ones. Each costs more memory than its characters do. */
const ELEMENTS_PER_ITEM_MAX = 2_000

/** The start of a login, consent or error page, with which servers answer instead of the feed. */
const HTML_START = /^\ufeff?\s*(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[\s\S])*-->\s*)*<(!doctype\s+html|html)\b/i

/** Shared by all elements without children. */
const NO_CHILDREN: FeedElement['children'] = []
const ITEM_NAMES = new Set(['item', 'entry', 'product'])
const FEED_ROOTS = new Set(['rss', 'rdf', 'feed'])

/**
 * Parses a feed as it streams in, and yields the items that each piece of text completes.
 * @throws FeedFailure when the text is not well-formed XML, has a DTD, is not a feed, or exceeds a limit. Items before the fault
 * are yielded first.
 */
export async function* parseFeed(texts: AsyncIterable<string>): AsyncGenerator<FeedItem[]> {
  const parser = new FeedParser()
  let isFirst = true
  for await (const text of texts) {
    if (isFirst && HTML_START.test(text)) throw new FeedFailure('WEB_PAGE', 'This is a web page (HTML), not a feed')
    isFirst = false
    yield* parser.write(text)
  }
  yield* parser.close()
}

class FeedParser {
  readonly #parser = new SaxesParser({
    ...{ xmlns: false, position: false },
    // XML 1.1 would let control characters into ids and titles.
    ...{ defaultXMLVersion: '1.0', forceXMLVersion: true },
  })
  readonly #names = new ElementNames()
  #done: FeedItem[] = []
  #depth = 0
  #root = ''
  #itemsSeen = 0
  #lastEventAt = 0
  #lastEventLine = 1

  #item: FeedItem | null = null
  #itemDepth = 0
  #itemStart = 0
  #elementsLeft = 0
  #element: FeedElement | null = null
  #child: FeedElement['children'][number] | null = null

  constructor() {
    const parser = this.#parser
    Object.assign(parser.ENTITIES, htmlEntities)
    parser.on('doctype', () => {
      throw new FeedFailure(
        'MALFORMED',
        `Line ${parser.line}: the feed has a document type (DTD), which is not accepted`,
      )
    })
    parser.on('opentag', (tag) => this.#open(tag))
    parser.on('closetag', () => this.#close())
    parser.on('text', (text) => this.#text(text))
    parser.on('cdata', (text) => this.#text(text))
    parser.on('comment', () => this.#event())
    parser.on('error', ({ message }) => {
      // The parser notices a bare & only at the next semicolon or at the end, so the fault is reported at the line of the last event.
      const line = /entity|unclosed|unexpected end/.test(message) ? this.#lastEventLine : parser.line
      const what = /entity name/.test(message) ? 'an & that should be &amp;' : message.replace(/\.$/, '')
      throw new FeedFailure('MALFORMED', `Line ${line}: the XML is not well-formed: ${what}`)
    })
  }

  *write(text: string): Generator<FeedItem[]> {
    yield* this.#feed(() => {
      this.#parser.write(text)
      if (this.#parser.position - this.#lastEventAt > TOKEN_CHARS_MAX) {
        throw new FeedFailure(
          'TOO_LARGE',
          `Line ${this.#parser.line}: a tag, text or comment has over ${TOKEN_CHARS_MAX} characters`,
        )
      }
    })
  }

  *close(): Generator<FeedItem[]> {
    yield* this.#feed(() => this.#parser.close())
    if (this.#itemsSeen === 0 && !FEED_ROOTS.has(this.#root)) {
      throw new FeedFailure(
        'NOT_A_FEED',
        `This is not a product feed: its root is <${this.#root}> and it has no <item> or <entry>`,
      )
    }
  }

  /** Items completed before a fault are valid: they are yielded before it is thrown. */
  *#feed(step: () => void): Generator<FeedItem[]> {
    let fault: unknown = null
    try {
      step()
    } catch (error) {
      fault = error
    }
    const items = this.#done
    this.#done = []
    if (items.length > 0) yield items
    if (fault !== null) throw fault
  }

  #event(): void {
    this.#lastEventAt = this.#parser.position
    this.#lastEventLine = this.#parser.line
    const item = this.#item
    if (item && !item.tooLarge && this.#lastEventAt - this.#itemStart > ITEM_CHARS_MAX) item.tooLarge = true
  }

  #open(tag: SaxesTagPlain): void {
    this.#event()
    this.#depth++
    if (this.#depth > DEPTH_MAX) {
      throw new FeedFailure('TOO_LARGE', `Line ${this.#parser.line}: elements are nested deeper than ${DEPTH_MAX}`)
    }
    const name = this.#names.enter(tag.name, tag.attributes, this.#depth)
    if (this.#depth === 1) this.#root = name.local.toLowerCase()
    else if (!this.#item) this.#maybeOpenItem(name)
    else if (!this.#item.tooLarge) this.#openInside(this.#item, name, tag)
  }

  #maybeOpenItem(name: ElementName): void {
    if (!ITEM_NAMES.has(name.local.toLowerCase())) return
    this.#itemsSeen++
    this.#itemDepth = this.#depth
    this.#itemStart = this.#parser.position
    this.#elementsLeft = ELEMENTS_PER_ITEM_MAX
    this.#item = { line: this.#parser.line, elements: [], tooLarge: false }
  }

  #openInside(item: FeedItem, { space, local, field }: ElementName, { attributes }: SaxesTagPlain): void {
    const level = this.#depth - this.#itemDepth
    if (level > 2 || (level === 1 && space === 'other') || (level === 2 && !this.#element)) return
    if (this.#elementsLeft-- === 0) {
      item.tooLarge = true
      return
    }
    if (level === 2) {
      this.#child = { name: field, text: '' }
      if (this.#element!.children === NO_CHILDREN) this.#element!.children = [this.#child]
      else this.#element!.children.push(this.#child)
      return
    }
    this.#element = {
      space: space as FeedElement['space'],
      name: space === 'custom' ? local : field,
      text: '',
      children: NO_CHILDREN,
      href: attributes.href ?? null,
      rel: attributes.rel ?? null,
      line: this.#parser.line,
    }
    item.elements.push(this.#element)
  }

  #text(text: string): void {
    this.#event()
    if (!this.#element || this.#item?.tooLarge) return
    this.#element.text += text
    if (this.#child) this.#child.text += text
  }

  #close(): void {
    this.#event()
    const level = this.#depth - this.#itemDepth
    if (this.#item) {
      if (level === 0) {
        this.#done.push(this.#item)
        this.#item = null
        this.#element = null
        this.#child = null
      } else if (level === 1) this.#element = null
      else if (level === 2) this.#child = null
    }
    this.#names.leave(this.#depth)
    this.#depth--
  }
}
