import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { IMAGE_BYTES_MAX } from '../../../../schemas/http/panel/limits.ts'
import { type EncodedImage, encodeImage, IMAGE_PIXELS_MAX } from '../../../../services/registry/images/encode.ts'
import { tries } from '../../../effort.ts'
import { FORMATS, hugePng, PNG_SIGNATURE, picture, pngChunk, withMetadata } from './pictures.ts'

const SIZE = { width: 40, height: 20 }
const faultOf = async (bytes: Buffer) => ((await encodeImage(bytes)) as { fault?: string }).fault
const encoded = async (bytes: Buffer) => (await encodeImage(bytes)) as EncodedImage
const noise = (size: { width: number; height: number }) =>
  sharp({ create: { ...size, channels: 3, background: 'grey', noise: { type: 'gaussian', mean: 128, sigma: 60 } } })

describe('an image', () => {
  it.each(FORMATS)('of the type %s is taken, and is the same to the eye', async (format) => {
    const image = await encoded(await picture(format, SIZE))
    expect(image).toMatchObject({ mediaType: format.toUpperCase(), ...SIZE })
    expect(await sharp(image.bytes).metadata()).toMatchObject({ format, ...SIZE })
    const { channels } = await sharp(image.bytes).stats()
    for (const [at, value] of [120, 80, 40].entries()) expect(Math.abs(channels[at]!.mean - value)).toBeLessThan(4)
  })

  it('is encoded into the same bytes each time', async () => {
    const bytes = await picture('jpeg', SIZE)
    expect((await encoded(bytes)).bytes).toEqual((await encoded(bytes)).bytes)
  })

  it('as PNG keeps every pixel, transparent ones and those of a palette too', async () => {
    const colours = Buffer.from(Array.from({ length: 40 * 20 * 4 }, (_, i) => (i * 7919) % 256))
    const full = await sharp(colours, { raw: { ...SIZE, channels: 4 } })
      .png()
      .toBuffer()
    const few = Buffer.from(Array.from({ length: 40 * 20 * 3 }, (_, i) => [0, 51, 255][Math.floor(i / 3) % 3]!))
    const palette = await sharp(few, { raw: { ...SIZE, channels: 3 } })
      .png({ palette: true })
      .toBuffer()
    for (const source of [full, palette]) {
      const raw = (bytes: Buffer) => sharp(bytes).ensureAlpha().raw().toBuffer()
      expect(await raw((await encoded(source)).bytes)).toEqual(await raw(source))
    }
  })

  it.each(FORMATS)('of the type %s loses its metadata', async (format) => {
    const source = await withMetadata(format)
    const before = await sharp(source).metadata()
    expect(before.exif?.includes('SECRETNAME') && before.xmp?.includes('SECRETPLACE')).toBe(true)
    const { bytes } = await encoded(source)
    expect(bytes.includes('SECRETNAME') || bytes.includes('SECRETPLACE')).toBe(false)
    const { exif, xmp, icc, iptc, orientation } = await sharp(bytes).metadata()
    expect([exif, xmp, icc, iptc, orientation]).toEqual([undefined, undefined, undefined, undefined, undefined])
  })

  it('that its camera held sideways is stored upright', async () => {
    expect(
      await encoded(
        await sharp(await picture('jpeg', SIZE))
          .withMetadata({ orientation: 6 })
          .toBuffer(),
      ),
    ).toMatchObject({ width: 20, height: 40 })
  })

  it('loses comments that are scripts', async () => {
    const script = pngChunk('tEXt', Buffer.from('Comment\0<script>alert(1)</script>'))
    const png = await picture('png', SIZE)
    const end = png.length - 12
    const { bytes } = await encoded(Buffer.concat([png.subarray(0, end), script, png.subarray(end)]))
    expect(bytes.includes('script')).toBe(false)
  })
})

describe('an upload is refused', () => {
  it.each(FORMATS)('when its %s is cut off anywhere', async (format) => {
    const bytes = await noise({ width: 60, height: 50 })[format]().toBuffer()
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length - 1 }), async (length) => {
        expect(await faultOf(bytes.subarray(0, length))).toEqual(expect.any(String))
      }),
      { numRuns: tries(40, 400) },
    )
  })

  it.each(FORMATS)('or taken, never a crash, when bytes of its %s are damaged', async (format) => {
    const bytes = await noise({ width: 60, height: 50 })[format]().toBuffer()
    const damages = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(damages, async (changes) => {
        const damaged = Buffer.from(bytes)
        for (const [at, byte] of changes) damaged[at] = byte
        const result = await encodeImage(damaged)
        if ('bytes' in result) expect((await sharp(result.bytes).metadata()).width).toBe(result.width)
      }),
      { numRuns: tries(60, 600) },
    )
  })

  it.each(FORMATS)('when something follows its %s', async (format) => {
    const page = Buffer.from('<html><script>alert(1)</script></html>')
    const bytes = Buffer.concat([await picture(format, SIZE), page])
    expect(await faultOf(bytes)).toBe(`holds ${page.length} bytes after the end of the image: save it again`)
  })

  it('when it is of another type', async () => {
    const svg = Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"/>')
    const html = Buffer.from('<!doctype html><script>alert(1)</script>')
    const tiff = await sharp({ create: { ...SIZE, channels: 3, background: 'red' } })
      .tiff()
      .toBuffer()
    const gif = await sharp({ create: { ...SIZE, channels: 3, background: 'red' } })
      .gif()
      .toBuffer()
    const pdf = Buffer.from('%PDF-1.7')
    for (const bytes of [svg, html, tiff, gif, pdf, Buffer.alloc(0), Buffer.from([0xff, 0xd8])]) {
      expect(await faultOf(bytes)).toBe('is not a PNG, JPEG or WEBP image')
    }
  })

  it('when it only begins like an image', async () => {
    const page = Buffer.from('<html><script>alert(1)</script></html>')
    const webp = Buffer.from('RIFF\0\0\0\0WEBP')
    webp.writeUInt32LE(webp.length + page.length - 8, 4)
    for (const head of [PNG_SIGNATURE, Buffer.from([0xff, 0xd8, 0xff, 0xe0]), webp]) {
      expect(await faultOf(Buffer.concat([head, page]))).toBe('is truncated or damaged')
    }
    const empty = [pngChunk('IHDR', Buffer.alloc(13)), pngChunk('IEND', Buffer.alloc(0))]
    expect(await faultOf(Buffer.concat([PNG_SIGNATURE, ...empty]))).toBe('is damaged: it cannot be decoded')
  })

  it('when it would fill the memory', async () => {
    const bomb = hugePng(30_000, 30_000)
    expect(bomb.length).toBeLessThan(IMAGE_BYTES_MAX)
    expect(await faultOf(bomb)).toMatch(/^is 30000 x 30000 pixels: at most 4096 per side/)
    expect(await faultOf(hugePng(4_097, 1))).toMatch(/^is 4097 x 1 pixels/)
    expect(await faultOf(hugePng(4_096, 2_049))).toMatch(/^is 4096 x 2049 pixels/)
    expect(await encoded(hugePng(4_096, 2_048))).toMatchObject({ width: 4_096, height: IMAGE_PIXELS_MAX / 4_096 })
  })

  it('when it holds more rows than it says', async () => {
    const small = hugePng(8, 8)
    const huge = hugePng(3_000, 3_000)
    const rows = huge.subarray(33, huge.length - 12)
    const bytes = Buffer.concat([small.subarray(0, 33), rows, pngChunk('IEND', Buffer.alloc(0))])
    const result = await encodeImage(bytes)
    // libpng may refuse the additional rows or ignore them, but they are never kept.
    if ('bytes' in result) expect(result).toMatchObject({ width: 8, height: 8 })
  })

  it('when it moves', async () => {
    const frames = Buffer.concat([await raw('red'), await raw('blue')])
    const webp = await sharp(frames, { raw: { width: 40, height: 40, channels: 3, pageHeight: 20 } })
      .webp()
      .toBuffer()
    expect((await sharp(webp).metadata()).pages).toBe(2)
    const png = await picture('png', SIZE)
    const control = pngChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]))
    const apng = Buffer.concat([png.subarray(0, 33), control, png.subarray(33)])
    for (const bytes of [webp, apng]) expect(await faultOf(bytes)).toBe('is animated: banners are still images')
  })

  it('when its pixels alone take too many bytes', async () => {
    const jpeg = await noise({ width: 2_000, height: 1_200 }).jpeg({ quality: 30 }).toBuffer()
    expect(jpeg.length).toBeLessThan(IMAGE_BYTES_MAX)
    expect(await faultOf(jpeg)).toMatch(/^would be stored with \d+ bytes: at most 900000 are allowed$/)
  })
})

const raw = (background: string) =>
  sharp({ create: { ...SIZE, channels: 3, background } })
    .raw()
    .toBuffer()
