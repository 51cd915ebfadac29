import { countries } from '../../../../domain/codes.ts'

/** Countries with their names in the reader's language, for a Select. */
export function countryChoices(): { value: string; label: string }[] {
  return [...countries]
    .map((code) => ({ value: code, label: countryName(code) }))
    .sort((a, b) => a.label.localeCompare(b.label))
}

/** The name of a country; its code if it has no name. */
export const countryName = (code: string): string =>
  new Intl.DisplayNames(undefined, { type: 'region' }).of(code) ?? code
