import type { Metadata, Sharp } from 'sharp'
import { IMAGE_BYTES_MAX } from '../../../schemas/http/panel/limits.ts'
import type { ImageType } from '../../../schemas/records/entities.ts'
import { readContainer } from './container.ts'

const IMAGE_SIDE_PIXELS_MAX = 4_096
export const IMAGE_PIXELS_MAX = 4_096 * 2_048
/** The encoding of one image is given up after this time. */
const ENCODE_MAX_SECONDS = 20
/** Quality at which JPEG and WEBP are encoded again: the loss is not visible. */
const QUALITY = 92

export interface EncodedImage {
  mediaType: ImageType
  width: number
  height: number
  bytes: Buffer
}

const TOO_LARGE = `at most ${IMAGE_SIDE_PIXELS_MAX} per side and ${IMAGE_PIXELS_MAX.toLocaleString('en')} in total are allowed`

/**
 * Checks an upload by its content, and encodes it again: upright, in sRGB, and with nothing but its pixels (no EXIF, no GPS,
 * no comments). The work is done in libuv's threads.
 * @returns the image, or why it is refused.
 */
export async function encodeImage(upload: Buffer): Promise<EncodedImage | { fault: string }> {
  const container = readContainer(upload)
  if ('fault' in container) return container
  const { type } = container
  const sharp = await imageLibrary()
  try {
    // Reads the header only: nothing is decoded before its size has been checked.
    const header = await sharp(upload, { limitInputPixels: false }).metadata()
    const fault = headerFault(header, type)
    if (fault) return { fault }
    const image = sharp(upload, { failOn: 'error', limitInputPixels: IMAGE_PIXELS_MAX, autoOrient: true })
    const { data, info } = await inType(image, type, header)
      .timeout({ seconds: ENCODE_MAX_SECONDS })
      .toBuffer({ resolveWithObject: true })
    if (data.length > IMAGE_BYTES_MAX) {
      return { fault: `would be stored with ${data.length} bytes: at most ${IMAGE_BYTES_MAX} are allowed` }
    }
    return { mediaType: type, width: info.width, height: info.height, bytes: data }
  } catch (error) {
    // libvips throws the same class of error for everything that can be wrong with an image.
    if (error instanceof Error && !(error instanceof TypeError)) return { fault: 'is damaged: it cannot be decoded' }
    throw error
  }
}

let loading: ReturnType<typeof loadLibrary> | null = null
/** Loaded with the first image, because loading it takes longer than loading all the code that reads requests. */
const imageLibrary = () => (loading ??= loadLibrary())

async function loadLibrary() {
  const { default: sharp } = await import('sharp')
  // Only the formats of banners may be decoded, whatever bytes are uploaded: libvips knows many more.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'] })
  // No image is decoded twice, so a cache would be useless.
  sharp.cache(false)
  return sharp
}

function headerFault({ format, width, height, pages = 1 }: Metadata, type: ImageType): string | null {
  if (format !== type.toLowerCase()) return 'is not an image of the format that its first bytes name'
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
