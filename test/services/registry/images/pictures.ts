import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import type { Office } from '../office.ts'

/** Images for the tests, generated here. */

export const BROWN = { r: 120, g: 80, b: 40 }
export type Format = 'png' | 'jpeg' | 'webp'
export const FORMATS: readonly Format[] = ['png', 'jpeg', 'webp']

export function picture(format: Format, size: { width: number; height: number }, background = BROWN): Promise<Buffer> {
  return sharp({ create: { ...size, channels: 3, background } })
    [format]()
    .toBuffer()
}

/** An image with a location, a camera and a text in its metadata. */
export function withMetadata(format: Format): Promise<Buffer> {
  return sharp({ create: { width: 40, height: 20, channels: 3, background: BROWN } })
    .withExif({
      IFD0: { Copyright: 'SECRETNAME' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 13/1 0/1' },
    })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">SECRETPLACE</x:xmpmeta>')
    [format]()
    .toBuffer()
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length)
  head.write(type, 4, 'latin1')
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(Buffer.concat([head.subarray(4), data])))
  return Buffer.concat([head, data, crc])
}

export const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** A complete PNG with so many grey pixels in few bytes. */
export function hugePng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  // One bit per pixel, and before each row the number of its filter.
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height))
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', rows),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A form with one file and the given fields. */
export function form(file: Buffer | null, options: { name?: string; type?: string; fields?: Record<string, string> }) {
  const { name = 'banner', type = 'application/octet-stream', fields = {} } = options
  const boundary = 'a-boundary-that-no-image-holds'
  const parts: Buffer[] = Object.entries(fields).map(([field, value]) =>
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`),
  )
  if (file) {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n`
    parts.push(Buffer.from(head), file, Buffer.from('\r\n'))
  }
  const payload = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)])
  return { payload, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}

/** Sends a form. */
export async function upload(
  office: Office,
  token: string,
  file: Buffer | null,
  options: Parameters<typeof form>[1] = {},
) {
  const { payload, headers } = form(file, options)
  const answer = await office.server.inject({
    method: 'POST',
    url: '/v1/panel/images',
    headers: { ...headers, authorization: `Bearer ${token}` },
    payload,
  })
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}
