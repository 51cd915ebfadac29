/** The pieces of a drawing, as SVG elements. Lengths are in units of a picture of 400 x 400. */
export const box = (x: number, y: number, width: number, height: number, radius: number, fill: string, more = '') =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}" ${more}/>`
export const oval = (cx: number, cy: number, rx: number, ry: number, fill: string, more = '') =>
  `<ellipse cx="${cx}" cy="${cy}" rx="${rx}" ry="${ry}" fill="${fill}" ${more}/>`
export const disc = (cx: number, cy: number, r: number, fill: string, more = '') => oval(cx, cy, r, r, fill, more)
export const area = (d: string, fill: string, more = '') => `<path d="${d}" fill="${fill}" ${more}/>`
export const line = (d: string, color: string, width: number, more = '') =>
  `<path d="${d}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" ${more}/>`
/** The shadow under a product. */
export const shadow = (cx: number, cy: number, rx: number) =>
  oval(cx, cy, rx, rx / 9, '#2b2118', 'opacity=".28" filter="url(#soft)"')
/** The shine on a surface. */
export const shine = (d: string, opacity = 0.35) => area(d, '#fff', `opacity="${opacity}"`)
/** Repeats shapes, each with its index. */
export const times = (count: number, shape: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => shape(index)).join('')

/** The colours of a product, and the gradients over each shape. */
export interface Paint {
  base: string
  light: string
  dark: string
  deep: string
  /** Left to right, as light falls on a round body. */
  round: string
  /** Top to bottom. */
  fall: string
}
export const STEEL = 'url(#steel)'
export const WOOD = 'url(#wood)'
export const GLASS = 'url(#glass)'
export const INK = '#2a2d34'
export const BRASS = '#c9a35b'
