import type { Static } from 'typebox'
import type { BannerInput } from '../../../schemas/http/panel/campaigns/banners.ts'
import type { AdFormat, Banner, UploadedImage } from '../../../schemas/records/entities.ts'
import type { FieldErrors } from '../resources/field-errors.ts'

type Input = Static<typeof BannerInput>

/** What banners are checked against. */
export interface BannerFacts {
  /** The format, if it is one of the shop's. */
  formatOf: (adFormatId: string) => AdFormat | undefined
  /** The image, if it is one of the account's. */
  imageOf: (imageId: string) => UploadedImage | undefined
  /** Ids of the banners that the campaign has. */
  known: readonly string[]
  uuid: () => string
}

/** #rgb, #rgba, #rrggbb, #rrggbbaa (CSS Color Module Level 4, section 5.2). */
const HEX_COLOUR = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i
const NO_IMAGE = 'is not an image of the account'

/** The stored form of banners. A banner with an id keeps it, others get one. Adds everything that is wrong to `fieldErrors`. */
export function readBanners(inputs: readonly Input[], facts: BannerFacts, fieldErrors: FieldErrors): Banner[] {
  const ids = inputs.map(({ id }) => id)
  return inputs.map((input, at) => {
    const path = `/banners/${at}`
    const { id, adFormatId, logoImageId = null, textFields = [], lang = null } = input
    if (id !== undefined) {
      fieldErrors.check(facts.known.includes(id), `${path}/id`, 'is not a banner of this campaign')
      fieldErrors.check(ids.indexOf(id) === at, `${path}/id`, 'is listed more than once')
    }
    const format = facts.formatOf(adFormatId)
    if (!format) fieldErrors.add(`${path}/adFormatId`, 'is not an ad format of this shop')
    const images = readImages(input.images ?? [], { path: `${path}/images`, format, facts }, fieldErrors)
    const hasLogo = logoImageId === null || facts.imageOf(logoImageId) !== undefined
    fieldErrors.check(hasLogo, `${path}/logoImageId`, NO_IMAGE)
    if (format) checkTexts(textFields, { path: `${path}/textFields`, format }, fieldErrors)
    // Moderation compares banners as text, so each property has its place.
    const texts = textFields.map(({ type, value }) => ({ type, value }))
    return { id: id ?? facts.uuid(), adFormatId, images, logoImageId, textFields: texts, lang }
  })
}

function readImages(
  inputs: NonNullable<Input['images']>,
  { path, format, facts }: { path: string; format: AdFormat | undefined; facts: BannerFacts },
  fieldErrors: FieldErrors,
): Banner['images'] {
  if (format && inputs.length !== format.images.length) {
    fieldErrors.add(path, `must have as many entries as the format: ${format.images.length}`)
  }
  return inputs.map(({ imageId, ...given }, at) => {
    const image = facts.imageOf(imageId)
    if (!image) fieldErrors.add(`${path}/${at}/imageId`, NO_IMAGE)
    const { width = 0, height = 0 } = image ?? {}
    const place = format?.images[at]
    if (image && place) {
      const fits = width === place.width && height === place.height
      const sizes = `${width} x ${height} pixels, but the format requires ${place.width} x ${place.height}`
      fieldErrors.check(fits, `${path}/${at}/imageId`, `has ${sizes}`)
    }
    if (image) {
      fieldErrors.check((given.width ?? width) === width, `${path}/${at}/width`, `must be ${width}, as in the image`)
      fieldErrors.check(
        (given.height ?? height) === height,
        `${path}/${at}/height`,
        `must be ${height}, as in the image`,
      )
    }
    return { imageId, width, height }
  })
}

function checkTexts(
  texts: NonNullable<Input['textFields']>,
  { path, format }: { path: string; format: AdFormat },
  fieldErrors: FieldErrors,
): void {
  const types = texts.map(({ type }) => type)
  for (const [at, { type, value }] of texts.entries()) {
    const field = format.textFields.find((each) => each.type === type)
    if (!field) fieldErrors.add(`${path}/${at}/type`, 'is not a text field of the format')
    fieldErrors.check(types.indexOf(type) === at, `${path}/${at}/type`, 'is listed more than once')
    const isShort = !field || [...value].length <= field.maxLength
    fieldErrors.check(isShort, `${path}/${at}/value`, `must have at most ${field?.maxLength} characters`)
    const isColour = !type.endsWith('_COLOR') || HEX_COLOUR.test(value)
    fieldErrors.check(isColour, `${path}/${at}/value`, 'must be a colour: #rgb, #rgba, #rrggbb or #rrggbbaa')
  }
  for (const { type, required } of format.textFields) {
    fieldErrors.check(!required || types.includes(type), path, `must have a text of the type ${type}`)
  }
}
