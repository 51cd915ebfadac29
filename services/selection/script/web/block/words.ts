export interface BlockWords {
  lang: string
  sponsored: string
  /** Read out by screen readers before a price, where there are two. */
  priceNow: string
  priceBefore: string
}

const table: Readonly<Record<string, readonly [sponsored: string, priceNow: string, priceBefore: string]>> = {
  en: ['Sponsored', 'Sale price', 'Previous price'],
  de: ['Gesponsert', 'Angebotspreis', 'Vorheriger Preis'],
  pl: ['Sponsorowane', 'Cena promocyjna', 'Poprzednia cena'],
  fr: ['Sponsorisé', 'Prix promotionnel', 'Ancien prix'],
  es: ['Patrocinado', 'Precio de oferta', 'Precio anterior'],
  it: ['Sponsorizzato', 'Prezzo scontato', 'Prezzo precedente'],
}

/** The words in the first of these languages (BCP 47) that is translated; in English when none is. */
export function wordsIn(languages: readonly string[]): BlockWords {
  const known = languages.map((tag) => tag.toLowerCase().split(/[-_]/)[0]!).find((lang) => Object.hasOwn(table, lang))
  const lang = known ?? 'en'
  const [sponsored, priceNow, priceBefore] = table[lang]!
  return { lang, sponsored, priceNow, priceBefore }
}
