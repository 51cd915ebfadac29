import { drawBanner } from './banner-art.ts'
import { DISPLAY } from './display-plans.ts'
import { BANNER_TYPES, FORMAT_SIZES, type FormatKey } from './units.ts'

/** Writes every banner of the demo to standard output, as a JSON object of base64 by campaign and format. */
const images: Record<string, string> = {}
for (const { key, scene } of DISPLAY) {
  for (const format of Object.keys(FORMAT_SIZES) as FormatKey[]) {
    const bytes = await drawBanner(scene, FORMAT_SIZES[format], BANNER_TYPES[format])
    images[`${key}-${format}`] = bytes.toString('base64')
  }
}
process.stdout.write(JSON.stringify(images))
