import { describe, expect, it } from 'vitest'
import { ITEM_CHARS_MAX, parseFeed } from '../../../../../services/registry/feeds/source/parse.ts'
import { item, mapped, parse, rss } from '../documents.ts'

const plain =
  '<id>1</id><title>T</title><link>https://a.example</link><image_link>https://a.example/i</image_link>' +
  '<price>1.00 EUR</price><availability>in stock</availability>'
const prefixed = (prefix: string) => plain.replaceAll(/<(\/?)/g, `<$1${prefix}:`)

describe('a web page instead of a feed', () => {
  it.each([
    '<!DOCTYPE html>\n<html><body><p>Sign in<br></body></html>',
    '<!doctype html><html lang="de">',
    '\ufeff\n<html><head>',
    '<?xml version="1.0"?>\n<!-- a --><!-- b --> <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">',
  ])('is called one: %s', async (text) => {
    await expect(parse(text, 65_536)).rejects.toMatchObject({ code: 'WEB_PAGE' })
  })

  it.each(['<!DOCTYPE rss>', '<htmlfeed>'])('is not taken for one: %s', async (text) => {
    await expect(parse(text, 65_536)).rejects.toMatchObject({ code: 'MALFORMED' })
  })
})

describe('where a feed keeps its items', () => {
  it.each([
    ['RSS with g declared', rss(item({ id: '1', title: 'T' }))],
    [
      'RSS with g declared as an attribute g',
      `<rss g="http://base.google.com/ns/1.0"><channel><item>${prefixed('g')}</item></channel></rss>`,
    ],
    [
      'g declared as something else',
      `<rss xmlns:g="http://x.example"><channel><item>${prefixed('g')}</item></channel></rss>`,
    ],
    [
      'another prefix for the namespace',
      `<rss xmlns:x="http://base.google.com/ns/1.0"><channel><item>${prefixed('x')}</item></channel></rss>`,
    ],
    [
      'the namespace as the default one',
      `<rss xmlns="https://base.google.com/ns/1.0/"><channel><item>${plain}</item></channel></rss>`,
    ],
    ['no prefixes at all', `<products><product>${plain}</product></products>`],
    ['camel case', `<feed><entry>${plain.replaceAll('image_link', 'imageLink')}</entry></feed>`],
    ['RSS 1.0', `<rdf:RDF xmlns:rdf="http://rdf.example"><item>${plain}</item></rdf:RDF>`],
    ['a byte order mark left by the decoder', rss(item({ id: '1', title: 'T' })).replace('<?xml version="1.0"?>', '')],
  ])('reads %s', async (_name, xml) => {
    const { offer, codes } = await mapped(xml)
    expect(offer).toMatchObject({ id: '1', title: 'T' })
    expect(codes.filter((code) => code !== 'MISSING_DESCRIPTION')).toEqual([])
  })

  it('reads Atom, its links by href, its own id only without g:id', async () => {
    const atom = (ids: string) =>
      `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>S</title><entry>${ids}
       <title>T</title><link rel="self" href="https://a.example/self"/><link rel="alternate" href="https://a.example/p"/>
       <summary>Words</summary><g:image_link>https://a.example/i</g:image_link><g:price>1.00 EUR</g:price>
       <g:availability>in_stock</g:availability></entry></feed>`
    const both = await mapped(atom('<id>urn:1</id><g:id>1</g:id>'))
    expect(both.offer).toMatchObject({ id: '1', link: 'https://a.example/p', description: 'Words' })
    expect((await mapped(atom('<id>urn:1</id>'))).offer?.id).toBe('urn:1')
  })

  it('prefers g: elements to the plain ones beside them', async () => {
    const { offer, codes } = await mapped(rss(item({}, '<title>Other</title><link>https://other.example</link>')))
    expect(offer).toMatchObject({ title: 'A lamp', link: 'https://shop.example/a1' })
    expect(codes).toEqual([])
  })

  it('lets a declaration hold only inside its element', async () => {
    const inner = '<x:title xmlns:x="http://base.google.com/ns/1.0">Inner</x:title><x:brand>none</x:brand>'
    const { offer } = await mapped(rss(item({ title: undefined }, inner)))
    expect(offer).toMatchObject({ title: 'Inner', brand: null })
  })

  it('ignores elements of other namespaces and nested items of theirs', async () => {
    const other = '<media:title>No</media:title><dc:item><g:id>2</g:id></dc:item>'
    expect((await mapped(rss(item({}, other)))).offer).toMatchObject({ id: 'A1', title: 'A lamp' })
  })

  it('joins CDATA, text and references, and takes text of unescaped HTML in order', async () => {
    const { offer } = await mapped(
      rss(item({ title: 'Salt <![CDATA[& Pepper]]> &#9829;', description: 'One <b>two</b> three' })),
    )
    expect(offer).toMatchObject({ title: 'Salt & Pepper ♥', description: 'One two three' })
  })

  it('knows the named characters of HTML', async () => {
    expect((await mapped(rss(item({ title: 'Caf&eacute;&nbsp;lamp' })))).offer?.title).toBe('Café lamp')
  })

  it('gives each item and element the line it starts in', async () => {
    const [first, second] = await parse(rss(item(), '\n\n', item({}, '\n<g:brand>B</g:brand>')), 3)
    expect([first!.line, second!.line]).toEqual([2, 6])
    expect(second!.elements.at(-1)).toMatchObject({ name: 'brand', line: 7 })
  })

  it('cuts the text anywhere and reads the same', async () => {
    const xml = rss(
      item({ title: 'a &amp; b\r\nc' }),
      item({ id: 'B2' }, '<g:shipping><g:country>PL</g:country></g:shipping>'),
    )
    const whole = await parse(xml, xml.length)
    for (const chunkChars of [1, 2, 3, 5, 64]) expect(await parse(xml, chunkChars)).toEqual(whole)
  })
})

describe('what no feed may do', () => {
  const laughs = `<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>`
  it.each([
    [
      'a billion laughs',
      `<?xml version="1.0"?>${laughs}<rss><channel>${item({ title: '&c;' })}</channel></rss>`,
      /document type/,
    ],
    [
      'an external entity',
      `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss>${item({ title: '&x;' })}</rss>`,
      /document type/,
    ],
    ['an external DTD', `<!DOCTYPE rss SYSTEM "http://169.254.169.254/latest"><rss></rss>`, /document type/],
    ['an unknown entity', rss(item({ title: '&xxe;' })), /Line 2: .*not well-formed.*entity/],
    [
      'a bare ampersand',
      rss(item({ title: 'Salt & Pepper' }), item(), item({ title: 'a;b' })),
      /Line 2: .*should be &amp;/,
    ],
    ['crossed tags', rss('<item><g:id>1</item></g:id>'), /Line 2: .*not well-formed/],
    ['a cut-off document', rss(item()).slice(0, -20), /not well-formed/],
    ['text alone', 'id,title\n1,Lamp', /not well-formed/],
    ['no text', '   ', /not well-formed/],
    ['a web page', '<html><body><p>Not found</p></body></html>', /web page/],
    ['nesting without end', `<rss>${'<a>'.repeat(100)}`, /deeper than 32/],
    ['a tag without end', `<rss><channel><item a="${'x'.repeat(4_100_000)}`, /over 4000000 characters/],
    ['a comment without end', `<rss><!--${'x'.repeat(4_100_000)}`, /over 4000000 characters/],
  ])('fails the feed for %s', async (_name, xml, message) => {
    await expect(parse(xml, 65_536)).rejects.toThrow(message)
  })

  it('takes a feed of no items', async () => {
    expect(await parse(rss())).toEqual([])
  })

  it('yields the items before a fault, also those of the same piece', async () => {
    const seen: string[] = []
    const reading = (async () => {
      for await (const items of parseFeed(oneOf(rss(item(), item({ id: 'B2' }), '<item><broken'))))
        seen.push(...items.map((each) => each.elements[0]!.text))
    })()
    await expect(reading).rejects.toThrow('not well-formed')
    expect(seen).toEqual(['A1', 'B2'])
  })

  it('rejects an item that is too large and goes on with the next', async () => {
    const large = item({ id: 'L' }, `<g:material>${'x'.repeat(ITEM_CHARS_MAX)}</g:material>`)
    const many = item({ id: 'M' }, '<g:label>x</g:label>'.repeat(3_000))
    const items = await parse(rss(large, many, item({ id: 'N' })), 65_536)
    expect(items.map((each) => [each.elements[0]!.text, each.tooLarge])).toEqual([
      ['L', true],
      ['M', true],
      ['N', false],
    ])
  })
})

async function* oneOf(text: string) {
  yield text
}
