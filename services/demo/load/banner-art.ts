import sharp from 'sharp'
import { mix } from '../pictures/colors.ts'
import { gradients, shapeOf } from '../pictures/picture.ts'

/** A product in a banner: its drawing, colour and position (shares of the banner's width and height). */
export interface Prop {
  kind: string
  color: string
  x: number
  y: number
  /** Share of the banner's height. */
  size: number
}

export interface Scene {
  background: string
  props: readonly Prop[]
}

/** Draws a scene as PNG or WEBP. It has no words: those are text fields, which each shop sets in its own type. */
export async function drawBanner(
  { background, props }: Scene,
  size: { width: number; height: number },
  type: 'png' | 'webp',
): Promise<Buffer> {
  const { width, height } = size
  const shapes = props.map((prop, index) => {
    const scale = (prop.size * height) / 400
    const [x, y] = [prop.x * width - 200 * scale, prop.y * height - 200 * scale]
    return `<g transform="translate(${x} ${y}) scale(${scale})">${ownIds(gradients(prop.color, background) + shapeOf(prop, { mirrored: false }), index)}</g>`
  })
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><linearGradient id="sky" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${mix(background, '#ffffff', 0.22)}"/><stop offset="1" stop-color="${mix(background, '#1d1a22', 0.16)}"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#sky)"/><circle cx="${width * 0.78}" cy="${height * 0.46}" r="${height * 0.62}" fill="#fff" opacity=".13"/><circle cx="${width * 0.78}" cy="${height * 0.46}" r="${height * 0.42}" fill="#fff" opacity=".13"/>${shapes.join('')}</svg>`
  const image = sharp(Buffer.from(svg))
  return type === 'png' ? image.png({ palette: true }).toBuffer() : image.webp({ quality: 88 }).toBuffer()
}

/** Makes the ids of a drawing unique, because several drawings share a document. */
const ownIds = (svg: string, index: number) =>
  svg.replace(/\bid="/g, `id="p${index}-`).replace(/url\(#/g, `url(#p${index}-`)
