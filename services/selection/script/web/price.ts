/** An amount as it is written in the first of these languages that the browser knows. */
export function priceText(amount: number, currency: string, languages: readonly string[]): string {
  const locales = languages.filter(isLocale)
  return new Intl.NumberFormat(locales.length > 0 ? locales : ['en'], { style: 'currency', currency }).format(amount)
}

function isLocale(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}
