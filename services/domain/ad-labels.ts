/** The texts shown with an ad, in one language. */
export interface AdLabels {
  /** BCP 47 */
  lang: string
  sponsored: string
  /** Screen readers say this before the current price when the previous price is shown, too. */
  priceNow: string
  priceBefore: string
}

type Labels = readonly [sponsored: string, priceNow: string, priceBefore: string]

/** Keyed by language, or by language and script when a language is written in two scripts. */
const table: Readonly<Record<string, Labels>> = {
  ar: ['إعلان ممول', 'سعر العرض', 'السعر السابق'],
  be: ['Рэклама', 'Цана са зніжкай', 'Ранейшая цана'],
  bg: ['Спонсорирано', 'Промоционална цена', 'Предишна цена'],
  bn: ['স্পনসরকৃত', 'অফার মূল্য', 'আগের মূল্য'],
  bs: ['Sponzorirano', 'Akcijska cijena', 'Prethodna cijena'],
  ca: ['Patrocinat', 'Preu d’oferta', 'Preu anterior'],
  cs: ['Sponzorováno', 'Akční cena', 'Předchozí cena'],
  da: ['Sponsoreret', 'Tilbudspris', 'Tidligere pris'],
  de: ['Gesponsert', 'Angebotspreis', 'Vorheriger Preis'],
  el: ['Χορηγούμενο', 'Τιμή προσφοράς', 'Προηγούμενη τιμή'],
  en: ['Sponsored', 'Sale price', 'Previous price'],
  es: ['Patrocinado', 'Precio de oferta', 'Precio anterior'],
  et: ['Sponsoreeritud', 'Soodushind', 'Eelmine hind'],
  eu: ['Babestua', 'Eskaintzako prezioa', 'Aurreko prezioa'],
  fa: ['آگهی', 'قیمت ویژه', 'قیمت قبلی'],
  fi: ['Sponsoroitu', 'Tarjoushinta', 'Aiempi hinta'],
  fr: ['Sponsorisé', 'Prix promotionnel', 'Ancien prix'],
  ga: ['Urraithe', 'Praghas speisialta', 'Praghas roimhe seo'],
  gl: ['Patrocinado', 'Prezo de oferta', 'Prezo anterior'],
  he: ['ממומן', 'מחיר מבצע', 'מחיר קודם'],
  hi: ['प्रायोजित', 'ऑफ़र मूल्य', 'पिछला मूल्य'],
  hr: ['Sponzorirano', 'Snižena cijena', 'Prethodna cijena'],
  hu: ['Szponzorált', 'Akciós ár', 'Korábbi ár'],
  id: ['Bersponsor', 'Harga promo', 'Harga sebelumnya'],
  is: ['Kostað', 'Tilboðsverð', 'Fyrra verð'],
  it: ['Sponsorizzato', 'Prezzo scontato', 'Prezzo precedente'],
  ja: ['スポンサー', 'セール価格', '以前の価格'],
  ko: ['광고', '할인가', '이전 가격'],
  lt: ['Remiama', 'Akcijos kaina', 'Ankstesnė kaina'],
  lv: ['Sponsorēts', 'Akcijas cena', 'Iepriekšējā cena'],
  mk: ['Спонзорирано', 'Промотивна цена', 'Претходна цена'],
  ms: ['Ditaja', 'Harga promosi', 'Harga sebelumnya'],
  mt: ['Sponsorjat', 'Prezz imraħħas', 'Prezz preċedenti'],
  nl: ['Gesponsord', 'Actieprijs', 'Vorige prijs'],
  no: ['Sponset', 'Tilbudspris', 'Tidligere pris'],
  pl: ['Sponsorowane', 'Cena promocyjna', 'Poprzednia cena'],
  pt: ['Patrocinado', 'Preço promocional', 'Preço anterior'],
  ro: ['Sponsorizat', 'Preț promoțional', 'Preț anterior'],
  ru: ['Реклама', 'Цена со скидкой', 'Прежняя цена'],
  sk: ['Sponzorované', 'Akciová cena', 'Predchádzajúca cena'],
  sl: ['Sponzorirano', 'Akcijska cena', 'Prejšnja cena'],
  sq: ['E sponsorizuar', 'Çmimi i ofertës', 'Çmimi i mëparshëm'],
  sr: ['Спонзорисано', 'Акцијска цена', 'Претходна цена'],
  'sr-Latn': ['Sponzorisano', 'Akcijska cena', 'Prethodna cena'],
  sv: ['Sponsrad', 'Reapris', 'Tidigare pris'],
  th: ['ได้รับการสนับสนุน', 'ราคาโปรโมชัน', 'ราคาก่อนหน้า'],
  tr: ['Sponsorlu', 'İndirimli fiyat', 'Önceki fiyat'],
  uk: ['Реклама', 'Ціна зі знижкою', 'Попередня ціна'],
  ur: ['سپانسرڈ', 'رعایتی قیمت', 'سابقہ قیمت'],
  vi: ['Được tài trợ', 'Giá khuyến mãi', 'Giá trước đó'],
  zh: ['赞助', '促销价', '原价'],
  'zh-Hant': ['贊助', '特價', '原價'],
}

/** Norwegian has two written forms, which share their labels. */
const ALIASES: Readonly<Record<string, string>> = { nb: 'no', nn: 'no' }

export const LABEL_LANGUAGES: readonly string[] = Object.keys(table)

/** The labels in the first of these languages (BCP 47) that is translated; in English when none is. */
export function adLabels(languages: readonly string[]): AdLabels {
  const lang = languages.flatMap(keysOf).find((key) => Object.hasOwn(table, key)) ?? 'en'
  const [sponsored, priceNow, priceBefore] = table[lang]!
  return { lang, sponsored, priceNow, priceBefore }
}

/** The keys of a language tag in the table, the most exact first: `zh-TW` is `zh-Hant`, then `zh`. */
function keysOf(tag: string): string[] {
  try {
    const { language, script } = new Intl.Locale(tag.replaceAll('_', '-')).maximize()
    return [`${language}-${script}`, ALIASES[language] ?? language]
  } catch {
    return []
  }
}
