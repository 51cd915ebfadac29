import type { Metadata, Sharp } from 'sharp'
import type { ImageType } from '../../../schemas/records/entities.ts'
import { readContainer } from './container.ts'

/** Of an upload, and of what is stored: a record of the log holds it whole. */
export const IMAGE_BYTES_MAX = 900_000
export const IMAGE_SIDE_PIXELS_MAX = 4_096
export const IMAGE_PIXELS_MAX = 4_096 * 2_048
/** Of one image; then it is given up. */
const ENCODE_MAX_SECONDS = 20
/** At which JPEG and WEBP are encoded anew: the loss is not seen. */
const QUALITY = 92

export interface EncodedImage {
  mediaType: ImageType
  width: number
  height: number
  bytes: Buffer
}

const TOO_LARGE = `at most ${IMAGE_SIDE_PIXELS_MAX} a side, and ${IMAGE_PIXELS_MAX.toLocaleString('en')} in all`

/**
 * Judges an upload by its content, and encodes it anew: upright, in sRGB, and without anything but its pixels (no EXIF, no
 * GPS, no comments). The work is done in the threads of libuv.
 * @returns the image, or why it is refused.
 */
export async function encodeImage(upload: Buffer): Promise<EncodedImage | { fault: string }> {
  const container = readContainer(upload)
  if ('fault' in container) return container
  const { type } = container
  const sharp = await imageLibrary()
  try {
    // The header alone: nothing is decoded before its size is known.
    const header = await sharp(upload, { limitInputPixels: false }).metadata()
    const fault = headerFault(header, type)
    if (fault) return { fault }
    const image = sharp(upload, { failOn: 'error', limitInputPixels: IMAGE_PIXELS_MAX, autoOrient: true })
    const { data, info } = await inType(image, type, header)
      .timeout({ seconds: ENCODE_MAX_SECONDS })
      .toBuffer({ resolveWithObject: true })
    if (data.length > IMAGE_BYTES_MAX) {
      return { fault: `takes ${data.length} bytes as it would be stored: at most ${IMAGE_BYTES_MAX}` }
    }
    return { mediaType: type, width: info.width, height: info.height, bytes: data }
  } catch (error) {
    // libvips has one class of error for all that it finds wrong with an image.
    if (error instanceof Error && !(error instanceof TypeError)) return { fault: 'is damaged: it cannot be decoded' }
    throw error
  }
}

let loading: ReturnType<typeof loadLibrary> | null = null
/** Loaded with the first image: it takes a start longer than all that reads requests. */
const imageLibrary = () => (loading ??= loadLibrary())

async function loadLibrary() {
  const { default: sharp } = await import('sharp')
  // Only what banners are made of is ever decoded, whatever bytes come here: libvips knows many formats more.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'] })
  // No image comes twice, so nothing is worth keeping.
  sharp.cache(false)
  return sharp
}

function headerFault({ format, width, height, pages = 1 }: Metadata, type: ImageType): string | null {
  if (format !== type.toLowerCase()) return 'is not what its first bytes say'
  if (pages > 1) return 'is animated: banners are still images'
  const isSmall = Math.max(width, height) <= IMAGE_SIDE_PIXELS_MAX && width * height <= IMAGE_PIXELS_MAX
  return isSmall ? null : `is ${width} x ${height} pixels: ${TOO_LARGE}`
}

function inType(image: Sharp, type: ImageType, { isPalette = false }: Metadata): Sharp {
  switch (type) {
    case 'PNG':
      return image.png({ compressionLevel: 9, palette: isPalette, quality: 100, dither: 0 })
    case 'JPEG':
      return image.jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' })
    case 'WEBP':
      return image.webp({ quality: QUALITY })
  }
}
