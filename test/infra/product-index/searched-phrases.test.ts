import { expect, it } from 'vitest'
import { prepareSynonyms } from '../../../infra/product-index/searched-phrases.ts'
import { shopSynonymsOf } from '../../../services/domain/catalogue/shop-synonyms.ts'
import { manySynonyms, turnsOfReading } from './synonyms.fixture.ts'

it('the synonyms of phrases are analysed in many turns, once, and are there for those who read the phrases', async () => {
  const turns = await turnsOfReading(async (synonyms) => {
    const phrases = ['lamp', 'sofa'].map((text) => ({ text, lang: 'de', synonyms }))
    await Promise.all([prepareSynonyms(phrases), prepareSynonyms(phrases)])
    expect(shopSynonymsOf(synonyms, 'de')).toEqual(shopSynonymsOf([...manySynonyms], 'de'))
  })
  expect(turns.filter((each) => each.length !== 1)).toEqual([])
  expect(new Set(turns.flat()).size).toBeGreaterThan(1)
})
