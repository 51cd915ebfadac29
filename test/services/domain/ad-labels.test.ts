import { describe, expect, it } from 'vitest'
import { adLabels, LABEL_LANGUAGES } from '../../../services/domain/ad-labels.ts'

const EUROPEAN_UNION = 'bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv'.split(' ')

describe('labels of ads', () => {
  it('exist in all languages of the European Union, and in others that many people read', () => {
    for (const lang of [...EUROPEAN_UNION, 'ar', 'he', 'tr', 'uk', 'zh', 'ja', 'hi', 'pt-BR', 'ko', 'nb', 'nn']) {
      expect(adLabels([lang]).lang, lang).toBe({ 'pt-BR': 'pt', nb: 'no', nn: 'no' }[lang] ?? lang)
    }
  })

  it('are all translated, and each language names itself by a tag that browsers know', () => {
    for (const lang of LABEL_LANGUAGES) {
      const { sponsored, priceNow, priceBefore } = adLabels([lang])
      expect(new Set([sponsored, priceNow, priceBefore, '']).size, lang).toBe(4)
      expect(Intl.getCanonicalLocales(lang)).toEqual([lang])
    }
  })

  it.each([
    [['de-AT'], 'de'],
    [['DE_ch'], 'de'],
    [['zh-TW'], 'zh-Hant'],
    [['zh-HK'], 'zh-Hant'],
    [['zh-CN'], 'zh'],
    [['sr-Latn-RS'], 'sr-Latn'],
    [['sr-RS'], 'sr'],
    [['iw'], 'he'],
    [['', 'fr'], 'fr'],
    [['cy', 'pl'], 'pl'],
    [['not a language', 'tlh'], 'en'],
    [['constructor', '__proto__'], 'en'],
    [[], 'en'],
  ])('for %j are those of %s', (languages, lang) => {
    expect(adLabels(languages).lang).toBe(lang)
  })
})
