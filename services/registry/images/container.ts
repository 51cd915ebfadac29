import type { ImageType } from '../../../schemas/records/entities.ts'

/** The type of a file by its bytes, or why it is refused, as a message that follows the field's name: "is animated". */
export type Container = { type: ImageType } | { fault: string }

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const CUT_OFF = { fault: 'is truncated or damaged' }
const ANIMATED = { fault: 'is animated: banners are still images' }
const OTHER = { fault: 'is not a PNG, JPEG or WEBP image' }

/**
 * Walks through the parts of a PNG, JPEG or WEBP file without decoding them, and ignores its name and declared type. The file
 * must be one still image and end where the image ends, because another program could read trailing bytes as something else
 * (a page, an archive).
 */
export function readContainer(bytes: Buffer): Container {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return readPng(bytes)
  if (bytes.length > 2 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return readJpeg(bytes)
  if (text(bytes, 0) === 'RIFF' && text(bytes, 8) === 'WEBP') return readWebp(bytes)
  return OTHER
}

/** Chunks of `length, type, data, CRC`, from IHDR to IEND (PNG, third edition, section 5). */
function readPng(bytes: Buffer): Container {
  let at = PNG_SIGNATURE.length
  if (text(bytes, at + 4) !== 'IHDR') return CUT_OFF
  while (at + 12 <= bytes.length) {
    const type = text(bytes, at + 4)
    at += 12 + bytes.readUInt32BE(at)
    if (type === 'acTL') return ANIMATED
    if (type === 'IEND') return endingAt(at, bytes, 'PNG')
  }
  return CUT_OFF
}

/** Segments of `FF, marker, length, data`, scans of entropy-coded data between them, from SOI to EOI (ITU T.81, annex B). */
function readJpeg(bytes: Buffer): Container {
  let at = 2
  while (at + 2 <= bytes.length) {
    if (bytes[at] !== 0xff) return CUT_OFF
    const marker = bytes[at + 1]!
    if (marker === 0xff) at += 1
    else if (marker === 0xd9) return endingAt(at + 2, bytes, 'JPEG')
    else if (isStandalone(marker)) at += 2
    else {
      if (at + 4 > bytes.length) return CUT_OFF
      at += 2 + Math.max(bytes.readUInt16BE(at + 2), 2)
      if (marker === 0xda) at = endOfScan(bytes, at)
    }
  }
  return CUT_OFF
}

/** RST0 to RST7 and TEM have no length. */
const isStandalone = (marker: number) => (marker >= 0xd0 && marker <= 0xd7) || marker === 0x01

/** The position of the next marker after a scan. Inside a scan, FF is followed by 00 or by a restart marker. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue
    const next = bytes[at + 1]!
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return bytes.length
}

/** RIFF, its length, WEBP, then chunks of `type, length, data`, padded to an even length (RFC 9649, section 2). */
function readWebp(bytes: Buffer): Container {
  const end = 8 + bytes.readUInt32LE(4)
  let at = 12
  while (at + 8 <= Math.min(end, bytes.length)) {
    const type = text(bytes, at)
    if (type === 'ANIM' || type === 'ANMF') return ANIMATED
    const length = bytes.readUInt32LE(at + 4)
    at += 8 + length + (length % 2)
  }
  return at === end ? endingAt(end, bytes, 'WEBP') : CUT_OFF
}

function endingAt(end: number, bytes: Buffer, type: ImageType): Container {
  if (end > bytes.length) return CUT_OFF
  const extra = bytes.length - end
  return extra === 0 ? { type } : { fault: `holds ${extra} bytes after the end of the image: save it again` }
}

const text = (bytes: Buffer, at: number) => bytes.toString('latin1', at, at + 4)
