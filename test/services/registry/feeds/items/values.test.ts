import { describe, expect, it } from 'vitest'
import { hasTags, plainText } from '../../../../../services/registry/feeds/items/plain-text.ts'
import {
  readAvailability,
  readCategoryPath,
  readGtin,
  readPeriod,
  readWebUrl,
} from '../../../../../services/registry/feeds/items/values.ts'

describe('a GTIN', () => {
  it.each(['96385074', '012345678905', '4006381333931', '00012345678905', '4006-3813 33931'])('reads %s', (text) => {
    expect(readGtin(text)).toBe(text.replace(/[- ]/g, ''))
  })
  it.each([
    ['a wrong check digit', '4006381333932'],
    ['cut zeros', '736000000000'],
    ['a wrong length', '40063813339'],
    ['letters', '40063813339A1'],
    ['zeros', '0000000000000'],
    ['an in-store range', '2000000000008'],
    ['the range 02', '0200000000004'],
    ['the range 04, as a UPC', '400000000008'],
    ['a coupon', '9800000000007'],
  ])('refuses %s: %s', (_why, text) => {
    expect(readGtin(text)).toBeNull()
  })
})

describe('an availability', () => {
  it('is read whatever its spaces, dashes, case and address', () => {
    const texts = ['in_stock', 'In Stock', 'in-stock', 'https://schema.org/InStock']
    expect(texts.map(readAvailability)).toEqual(texts.map(() => 'in_stock'))
  })
  it.each(['', 'perhaps', 'constructor'])('is none for "%s"', (text) => {
    expect(readAvailability(text)).toBeNull()
  })
})

describe('plain text', () => {
  it.each([
    ['<p>One</p><p>two</p>', 'One two'],
    ['&lt;b&gt;bold&lt;/b&gt; &amp;amp; more', 'bold &amp; more'],
    ['26&quot; x 26&#34;', '26" x 26"'],
    ['<!--StartFragment -->x<!--EndFragment-->', 'x'],
    ['&lt;!--StartFragment --&gt;x', 'x'],
    ['<script>alert("<b>")</script>kept<style>p{}</style>', 'kept'],
    ['5 < 6 and 7 > 3', '5 < 6 and 7 > 3'],
    ['a <3 b', 'a <3 b'],
    ['x &nosuch; &#0; y &#x1F600;', 'x &nosuch; y 😀'],
    ['&hearts; &CounterClockwiseContourIntegral; &toString;', '♥ ∳ &toString;'],
    ['unclosed <!-- to the end', 'unclosed'],
    ['\u00a0 a \r\n\t b ', 'a b'],
  ])('of %s is %s', (html, text) => {
    expect(plainText(html)).toBe(text)
  })

  it('is found in time that grows with the text, whatever it holds', () => {
    for (const part of ['<!--', '<script>', '<a ', '&lt;', '<', '&', '<script><!--']) {
      const text = part.repeat(200_000)
      expect(plainText(text).length).toBeLessThanOrEqual(text.length)
    }
  })

  it('tells tags from signs', () => {
    expect([hasTags('a <b>c'), hasTags('&lt;i&gt;'), hasTags('1 < 2'), hasTags('a & b')]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('other values', () => {
  it('joins the levels of a category', () => {
    expect(readCategoryPath(' Home>Garden  >  > Lamps ')).toBe('Home > Garden > Lamps')
    expect(readCategoryPath(' > ')).toBeNull()
  })

  it('leaves an address as it is when it may be so', () => {
    expect(readWebUrl('https://a.example/x?y=%20&z=1#q')).toBe('https://a.example/x?y=%20&z=1#q')
    expect(readWebUrl('http://a.example/ä b')).toBe('http://a.example/%C3%A4%20b')
    for (const text of ['a.example', '//a.example', 'mailto:a@b.example', 'https://', 'http://a b/']) {
      expect(readWebUrl(text)).toBeNull()
    }
  })

  it('reads a period with and without offsets', () => {
    expect(readPeriod('2026-01-01T00:00-08:00/2026-01-02T00:00-0800')).toEqual({
      from: Date.UTC(2026, 0, 1, 8),
      to: Date.UTC(2026, 0, 2, 8),
    })
    expect(readPeriod('2026-01-01 / 2026-01-01')).toEqual({
      from: Date.UTC(2026, 0, 1),
      to: Date.UTC(2026, 0, 1, 23, 59, 59),
    })
  })
})
