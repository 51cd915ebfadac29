import { createElement } from 'react'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../../services/panel/web/messages/catalogue.ts'

const t = catalogue({
  plain: 'Nothing to say',
  count: '{count, plural, one {# product} other {# products}} of {shop}',
  link: 'See <link>the feed</link> of {shop}.',
})

describe('a catalogue of messages', () => {
  it('says a message', () => {
    expect(t('plain')).toBe('Nothing to say')
  })

  it.each([
    [1, '1 product of Lumbra'],
    [12_345, '12,345 products of Lumbra'],
  ])('counts %i with the plural of its language', (count, text) => {
    expect(t('count', { count, shop: 'Lumbra' })).toBe(text)
  })

  it('makes elements of tags', () => {
    const element = t.rich('link', {
      link: (content) => createElement('a', { href: '/feeds' }, content),
      shop: 'Lumbra',
    })
    expect(JSON.stringify(element)).toContain('"href":"/feeds"')
  })

  it('refuses a missing or a wrong argument when types are checked', () => {
    // @ts-expect-error: the shop is missing
    expect(() => t('count', { count: 1 })).toThrow('shop')
    // @ts-expect-error: there is no such message
    expect(() => t('none')).toThrow()
  })
})
