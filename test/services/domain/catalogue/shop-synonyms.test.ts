import { describe, expect, test } from 'vitest'
import type { Shop } from '../../../../schemas/records/entities.ts'
import {
  checkSynonyms,
  readSynonyms,
  SYNONYM_RULES_MAX,
  shopSynonymsOf,
  synonymsOfShop,
} from '../../../../services/domain/catalogue/shop-synonyms.ts'

const checked = (text: string) => checkSynonyms(text, 'en', () => undefined)
const faultsOf = async (text: string) => (await checked(text)).faults.map(({ line, message }) => `${line} ${message}`)
/** What each name also finds. */
const read = (text: string, lang = 'en') =>
  Object.fromEntries(
    Array.from(shopSynonymsOf(readSynonyms(text), lang), ([name, others]) => [
      name,
      others.map((each) => each.join(' ')),
    ]),
  )

describe('synonyms of a shop', () => {
  test('are lines of names that mean the same, or of what finds something else, too', () => {
    expect(readSynonyms('sofa, couch\n# seats\r\n\n  ottoman ,foot  stool => pouf')).toEqual([
      { names: ['sofa', 'couch'], finds: null },
      { names: ['ottoman', 'foot stool'], finds: ['pouf'] },
    ])
  })

  test('keep a comma and an arrow behind a backslash', () => {
    expect(readSynonyms('1\\,5 l, a \\=> b, c\\\\d')).toEqual([{ names: ['1,5 l', 'a => b', 'c\\d'], finds: null }])
  })

  test('find each other by their stems, and over all lines', () => {
    expect(read('Sofas, couch\nsofa, settee\nsneaker => Trainers, running shoes')).toEqual({
      sofa: ['couch', 'sette'],
      couch: ['sofa'],
      sette: ['sofa'],
      sneaker: ['trainer', 'run shoe'],
    })
  })

  test('name the line of every fault, and keep the other lines', async () => {
    const long = 'x'.repeat(101)
    const text = [
      'sofa, couch',
      'a => b => c',
      'a,,b',
      'lonely',
      'shoe, shoes',
      `${long}, y`,
      'a, !!',
      'one two three four five six, y',
    ]
    expect(await faultsOf(text.join('\n'))).toEqual([
      '2 has more than one =>',
      '3 has an empty name',
      '4 has only one name',
      '5 names the same words only: the search takes singular and plural, and upper and lower case, as one',
      '6 has a name of more than 100 characters',
      '7 has a name without letters and digits: !!',
      '8 has a name of more than 5 words: one two three four five six',
    ])
    expect((await checked(text.join('\n'))).rules).toHaveLength(1)
    expect(await faultsOf('a =>')).toEqual(['1 has an empty name'])
    expect(await faultsOf(Array.from({ length: 21 }, (_, i) => `n${i}`).join())).toEqual(['1 has more than 20 names'])
  })

  test('are bounded in number', async () => {
    const lines = Array.from({ length: SYNONYM_RULES_MAX + 1 }, (_, i) => `a${i}, b${i}`).join('\n')
    expect(await faultsOf(lines)).toEqual([
      `${SYNONYM_RULES_MAX + 1} comes after the ${SYNONYM_RULES_MAX} lines that can be kept`,
    ])
  })

  test('are the same when they are stored as when they are checked, where other work may run between any two lines', async () => {
    const text = 'Sofa, couch\n# seats\nottoman => pouf\nbag, case'
    let turns = 0
    const betweenLines = async () => void turns++
    expect(readSynonyms(text)).toEqual((await checkSynonyms(text, 'en', betweenLines)).rules)
    expect(turns).toBe(3)
  })

  test('are the same list as long as the shop is the same', () => {
    const shop = { synonyms: 'a, b', lang: 'en' } as Shop
    expect(synonymsOfShop(shop)).toBe(synonymsOfShop(shop))
    expect(synonymsOfShop({ ...shop })).not.toBe(synonymsOfShop(shop))
  })
})
