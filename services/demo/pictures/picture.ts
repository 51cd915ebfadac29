import type { Product } from '../catalogue/products.ts'
import { mix, paintOf } from './colors.ts'
import { camera, earbuds, headphones, speaker, watch } from './electronics.ts'
import { grill, planter, plushBear, train, wateringCan } from './garden.ts'
import { espressoMachine, grinder, kettle, mugs, pan } from './kitchen.ts'
import { armchair, blanket, cushion, lamp, pendant, vase } from './living.ts'
import { keyboard, monitor, notebook, officeChair } from './office.ts'
import { backpack, bottle, lantern, tent } from './outdoor.ts'
import type { Paint } from './shapes.ts'
import { dumbbells, helmet, kite, shoe, yogaMat } from './sports.ts'

export const drawings: Readonly<Record<string, (paint: Paint) => string>> = {
  'espresso-machine': espressoMachine,
  grinder,
  kettle,
  pan,
  mug: mugs,
  lamp,
  pendant,
  blanket,
  cushion,
  armchair,
  vase,
  headphones,
  earbuds,
  speaker,
  camera,
  watch,
  keyboard,
  monitor,
  'office-chair': officeChair,
  notebook,
  backpack,
  tent,
  bottle,
  lantern,
  shoe,
  'yoga-mat': yogaMat,
  dumbbell: dumbbells,
  helmet,
  'watering-can': wateringCan,
  planter,
  grill,
  'plush-bear': plushBear,
  train,
  kite,
}

/** The whole product, a close-up, and the mirrored product on another background. */
export const VIEWS = ['front', 'near', 'side'] as const
export type View = (typeof VIEWS)[number]

const GROUNDS = ['#f3e7d6', '#e6ece2', '#e9e4ee', '#f4e2dc', '#e0eaee', '#efe9d3'] as const
const frames: Readonly<Record<View, string>> = { front: '0 0 400 400', near: '96 70 214 214', side: '-24 -24 448 448' }

/** Draws a product in its colour, as an SVG document. */
export function pictureOf(product: Pick<Product, 'kind' | 'color' | 'groupId'>, view: View = 'front'): string {
  const groupNumber = Number(product.groupId.slice(1))
  const ground = GROUNDS[(groupNumber + (view === 'side' ? 3 : 0)) % GROUNDS.length]!
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${frames[view]}" width="800" height="800">${gradients(product.color, ground)}<rect x="-30" y="-30" width="460" height="460" fill="url(#ground)"/>${shapeOf(product, { mirrored: (groupNumber % 2 === 1) !== (view === 'side') })}</svg>`
}

/** Draws only the product, for a picture of 400 x 400 that contains the `gradients` of its colour. */
export function shapeOf({ kind, color }: Pick<Product, 'kind' | 'color'>, { mirrored }: { mirrored: boolean }): string {
  const shape = drawings[kind]!(paintOf(color))
  return mirrored ? `<g transform="translate(400 0) scale(-1 1)">${shape}</g>` : shape
}

/** The gradients that drawings are filled with. A picture contains those of one colour. */
export function gradients(color: string, ground: string): string {
  const { base, light, dark } = paintOf(color)
  const gradient = (id: string, direction: string, stops: readonly [number, string][]) =>
    `<linearGradient id="${id}" ${direction}>${stops.map(([at, fill]) => `<stop offset="${at}" stop-color="${fill}"/>`).join('')}</linearGradient>`
  const down = 'x1="0" y1="0" x2="0" y2="1"'
  return `<defs>${[
    gradient('round', '', [
      [0, base],
      [0.25, light],
      [0.6, base],
      [1, dark],
    ]),
    gradient('fall', down, [
      [0, light],
      [0.5, base],
      [1, dark],
    ]),
    gradient('steel', '', [
      [0, '#aab1b9'],
      [0.3, '#f1f3f5'],
      [0.65, '#bcc3ca'],
      [1, '#858d96'],
    ]),
    gradient('wood', '', [
      [0, '#c2935f'],
      [0.4, '#dcb583'],
      [1, '#a5774a'],
    ]),
    gradient('glass', down, [
      [0, '#dfeaf1'],
      [0.5, '#7f9db4'],
      [1, '#3d5468'],
    ]),
  ].join(
    '',
  )}<radialGradient id="ground" cx=".5" cy=".38" r=".75"><stop offset="0" stop-color="${mix(ground, '#ffffff', 0.7)}"/><stop offset="1" stop-color="${mix(ground, base, 0.14)}"/></radialGradient><filter id="soft" x="-30%" y="-150%" width="160%" height="400%"><feGaussianBlur stdDeviation="7"/></filter><filter id="glow" x="-40%" y="-40%" width="180%" height="180%"><feGaussianBlur stdDeviation="24"/></filter></defs>`
}
