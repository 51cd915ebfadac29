import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  alternativesToCount,
  guessesToCount,
  termsToCount,
  understand,
} from '../../../../services/domain/catalogue/phrase.ts'
import { readSynonyms, type SynonymRules } from '../../../../services/domain/catalogue/shop-synonyms.ts'
import { indexTerms } from '../../../../services/domain/catalogue/text.ts'
import { tries } from '../../../effort.ts'

/** The number of texts that have a term. */
function frequencyIn(texts: readonly string[], lang = 'en') {
  const terms = texts.map((text) => new Set(indexTerms(text, lang)))
  return (term: string) => terms.filter((each) => each.has(term)).length
}

const shop = [
  'Acme wireless mouse',
  'Acme wireless headphones',
  'Bolt mouse pad',
  'Acme mouse pad',
  'Bolt smart watch',
  'Cord smartwatch strap',
  'Dell notebook 256 GB',
  'Dell notebook case',
  'Edge bluetooth speaker',
  'Edge bluetooth speaker mini',
  'Bolt phone case',
  'Bolt phone holder',
]

/** The words as they are understood, each with its alternatives in brackets. */
const read = (text: string, texts: readonly string[] = shop, lang = 'en', synonyms: SynonymRules = []) =>
  understand({ text, lang, synonyms }, frequencyIn(texts, lang))
    .map(({ term, alternatives }) => [term, ...alternatives.map((name) => `(${name.join(' ')})`)].join(' '))
    .join(', ')

/** Whether an offer with these terms has every word, or an alternative of it. */
const hasAll = (words: ReturnType<typeof understand>, terms: readonly string[]) =>
  words.every(({ term, alternatives }) =>
    [[term], ...alternatives].some((name) => name.every((each) => terms.includes(each))),
  )

describe('a phrase', () => {
  test('stays as it was typed when offers have its words and none says them otherwise', () => {
    expect(read('wireless mouse')).toBe('wireless, mous')
  })

  test.each([
    ['one letter left out', 'wireles mouse'],
    ['one letter added', 'wirelesss mouse'],
    ['one letter replaced', 'wirelass mouse'],
    ['two letters exchanged', 'wierless mouse'],
  ])('means the word that is %s', (_, text) => {
    expect(read(text)).toBe('wireless, mous')
  })

  test('keeps the first letter, short words, numbers and what is two letters away', () => {
    for (const text of ['nireless', 'mos', 'dall', 'd1ll', 'wirlss']) expect(read(text)).toBe(read(text, []))
  })

  test('means an abbreviation by its plural', () => {
    expect(read('hdds', ['hdd', 'hdd'])).toBe('hdd')
  })

  test('keeps a word that one offer has, and is not led to one that only one offer has', () => {
    expect(read('strap')).toBe('strap')
    expect(read('strab')).toBe('strab')
  })

  test('of several spellings means the one that more offers have', () => {
    expect(read('spaker', ['spoker', 'spoker', 'speaker', 'speaker', 'speaker'])).toBe('speaker')
  })

  test('written apart or together is the same', () => {
    expect(read('blue tooth speaker')).toBe('bluetooth, speaker')
    expect(read('mousepad')).toBe('mous, pad')
    expect(read('mousepad', [...shop, 'Mousepad'])).toBe('mousepad (mous pad)')
    expect(read('smart watch')).toBe('smart (smartwatch), watch (smartwatch)')
  })

  test('German compounds are found by their parts, with and without linking letters', () => {
    const german = ['Kopfhörer Kabel', 'Kopfhörer Kabel lang', 'Arbeit Lampe', 'Arbeit Lampe klein']
    expect(read('Kopfhörerkabel', german, 'de')).toBe(read('Kopfhörer Kabel', german, 'de'))
    expect(read('Arbeitslampe', german, 'de')).toBe('arbeit, lamp')
  })

  test('another name of the same kind is an alternative, and stands for a name that no offer has', () => {
    const both = [...shop, 'Dell laptop sleeve']
    expect(read('laptop sleeve', both)).toBe('laptop (notebook), sleev')
    expect(read('laptop case')).toBe('notebook, case')
    expect(read('mobile phone case')).toBe('mobil, phone, case')
  })

  test.each(['en', 'pl', 'fr', 'ja', null])(
    'means a brand by its full and its short name, in any language: %s',
    (lang) => {
      const market = ['HP laptop', 'Hewlett Packard printer', 'PlayStation 5 controller', 'WD drive']
      const names = (text: string) => understand({ text, lang }, frequencyIn(market, lang ?? 'en'))
      const found = (text: string) => market.filter((offer) => hasAll(names(text), indexTerms(offer, lang)))
      expect(found('hp')).toEqual(['HP laptop', 'Hewlett Packard printer'])
      expect(found('hewlett packard')).toEqual(['HP laptop', 'Hewlett Packard printer'])
      expect(found('ps5')).toEqual(['PlayStation 5 controller'])
      expect(found('western digital drive')).toEqual(['WD drive'])
    },
  )

  const own = (lines: string) => readSynonyms(lines)

  test("is read by the shop's synonyms, both ways or one way", () => {
    const rules = own('pad, strap\ncase => holder')
    expect(read('mouse pad', shop, 'en', rules)).toBe('mous, pad (strap)')
    expect(read('strap', shop, 'en', rules)).toBe('strap (pad)')
    expect(read('case', shop, 'en', rules)).toBe('case (holder)')
    expect(read('holder', shop, 'en', rules)).toBe('holder')
  })

  test('means by a name that no offer has the first of its synonyms that offers have, and then the others', () => {
    expect(read('zork case', shop, 'en', own('zork, foo, speaker, watch'))).toBe('speaker (watch), case')
    expect(read('wirelass gadget', shop, 'en', own('wirelass gadget => mouse pad'))).toBe('mous, pad')
    expect(read('wirelass gadget', shop, 'en', own('wirelass gadget => foo'))).toBe('wireless, gadget')
  })

  test('finds the synonyms of a word by its misspelling', () => {
    expect(read('speakr', shop, 'en', own('speaker => holder'))).toBe('speaker (holder)')
  })

  test('of many words is a title and is taken as it is', () => {
    expect(read('wireles one two three four five six seven eight')).toContain('wirel,')
  })

  test('at most two unknown words are guessed at', () => {
    expect(read('wireles speakr notbook')).toBe('wireless, speaker, notbook')
  })

  const word = fc.oneof(
    fc.constantFrom(
      'wireless',
      'wireles',
      'mouse',
      'smart',
      'watch',
      'smartwatch',
      'laptop',
      'laptpo',
      'notebok',
      'zork',
      'phone',
      'usb',
      'stick',
      '256',
      'gb',
    ),
    fc.string({ unit: 'grapheme', maxLength: 24 }),
    fc.string({ unit: fc.constantFrom(...'abcdeиé'), maxLength: 30 }),
  )
  const phrase = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '))
  const lang = fc.constantFrom(null, 'en', 'de', 'ru', 'xx')

  const synonyms = readSynonyms('zork, smart watch, bluetooth\nzork phone => mouse pad\nnotebook => wireless')

  test('is understood alike by an index that is asked beforehand how many offers have which terms', () => {
    const frequency = frequencyIn(shop)
    fc.assert(
      fc.property(phrase, lang, (text, language) => {
        const asked = { text, lang: language, synonyms }
        const counted = new Map(termsToCount(asked).map((term) => [term, frequency(term)]))
        const ofCounted = (term: string) => counted.get(term) ?? 0
        for (const term of guessesToCount(asked, ofCounted)) counted.set(term, frequency(term))
        for (const term of alternativesToCount(asked, ofCounted)) counted.set(term, frequency(term))
        expect(understand(asked, ofCounted)).toEqual(understand(asked, frequency))
      }),
      { numRuns: tries(300, 5_000) },
    )
  })

  test('asks for a bounded number of terms, however long it is', () => {
    fc.assert(
      fc.property(phrase, lang, (text, language) => {
        expect(termsToCount({ text, lang: language }).length).toBeLessThan(100)
        expect(guessesToCount({ text, lang: language }, () => 0).length).toBeLessThan(2_500)
      }),
      { numRuns: tries(100, 1_000) },
    )
  })
})
