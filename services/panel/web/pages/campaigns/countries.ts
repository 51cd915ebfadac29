import { countries } from '../../../../domain/codes.ts'

/** Countries by their names in the reader's language, for a Select. */
export function countryChoices(): { value: string; label: string }[] {
  return [...countries]
    .map((code) => ({ value: code, label: countryName(code) }))
    .sort((a, b) => a.label.localeCompare(b.label))
}

/** The name of a country; its code where there is none. */
export const countryName = (code: string): string =>
  new Intl.DisplayNames(undefined, { type: 'region' }).of(code) ?? code
