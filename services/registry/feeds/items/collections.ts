import { OFFER_LIMITS } from '../../../domain/catalogue/offer.ts'
import type { FeedElement } from './item.ts'
import { type ItemReader, shown } from './item-reader.ts'
import { plainText } from './plain-text.ts'
import { readCategoryPath, readWebUrl } from './values.ts'

/** Google uses the first and accepts a few more. Here each one is a path that category filters match. */
const PRODUCT_TYPES_MAX = 10
/** The contract has no limit for names. This one is far above the length of any name that a shop uses. */
const CUSTOM_NAME_CHARS_MAX = 100
const CUSTOM_LABELS = ['custom_label_0', 'custom_label_1', 'custom_label_2', 'custom_label_3', 'custom_label_4']

export function readProductTypes(reader: ItemReader): string[] {
  const types = texts(reader, reader.elements('product_type'), OFFER_LIMITS.categoryChars)
  return distinct(reader, 'product_type', types.map(readCategoryPath), PRODUCT_TYPES_MAX)
}

/** The labels in custom_label_0 to custom_label_4, then those in any number of label elements, without duplicates. */
export function readLabels(reader: ItemReader): string[] {
  const elements = [...CUSTOM_LABELS, 'label'].flatMap((name) => reader.elements(name))
  return distinct(reader, 'label', texts(reader, elements, OFFER_LIMITS.labelChars), OFFER_LIMITS.labelsMax)
}

/** Absolute http or https URLs, without duplicates. Other values are left out. */
export function readAdditionalImages(reader: ItemReader): string[] {
  const field = 'additional_image_link'
  const urls = reader.elements(field).flatMap((element) => {
    const text = element.text.trim() || (element.href ?? '').trim()
    const url = readWebUrl(text)
    if (url !== null && url.length <= OFFER_LIMITS.urlChars) return [url]
    reader.report('INVALID_VALUE', field, `${shown(text)} is not an absolute http or https URL`, element.line)
    return []
  })
  return distinct(reader, field, urls, OFFER_LIMITS.additionalImagesMax)
}

/** The values of the elements in the custom namespace, by name and in the order of the item. */
export function readCustomParameters(reader: ItemReader): Record<string, string> {
  const parameters = new Map<string, string>()
  let beyond = 0
  for (const element of reader.custom()) {
    const { line } = element
    const name = element.name
    const value = element.text.trim()
    reader.checkEncoding(element)
    // In an object that the parameters are copied into, this name would set the prototype instead of an entry.
    if (name === '__proto__') continue
    if (name.length > CUSTOM_NAME_CHARS_MAX) {
      const message = `Its name has ${name.length} characters; at most ${CUSTOM_NAME_CHARS_MAX} are allowed`
      reader.report('CUSTOM_PARAMETER_TOO_LONG', `c:${name.slice(0, CUSTOM_NAME_CHARS_MAX)}`, message, line)
    } else if (parameters.has(name)) {
      reader.report('REPEATED_FIELD', `c:${name}`, 'Only the first value is used', line)
    } else if (value.length > OFFER_LIMITS.customParameterChars) {
      const message = `Has ${value.length} characters; at most ${OFFER_LIMITS.customParameterChars} are allowed`
      reader.report('CUSTOM_PARAMETER_TOO_LONG', `c:${name}`, message, line)
    } else if (parameters.size === OFFER_LIMITS.customParametersMax) {
      if (beyond++ === 0) {
        const message = `Only the first ${OFFER_LIMITS.customParametersMax} are kept`
        reader.report('TOO_MANY_CUSTOM_PARAMETERS', `c:${name}`, message, line)
      }
    } else parameters.set(name, value)
  }
  return Object.fromEntries(parameters)
}

function texts(reader: ItemReader, elements: readonly FeedElement[], maxChars: number): string[] {
  return elements.flatMap((element) => {
    reader.checkEncoding(element)
    const value = { text: plainText(element.text), line: element.line }
    return value.text !== '' && reader.fits(element.name, value, maxChars) ? [value.text] : []
  })
}

function distinct(reader: ItemReader, field: string, values: readonly (string | null)[], max: number): string[] {
  const all = [...new Set(values.filter((value) => value !== null))]
  if (all.length > max) reader.report('TOO_MANY_VALUES', field, `Only the first ${max} of ${all.length} are used`)
  return all.slice(0, max)
}
