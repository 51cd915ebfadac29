import { pictureOf, VIEWS } from '../pictures/picture.ts'
import { type Asset, assetOf } from './assets.ts'
import type { Shelf } from './shelf.ts'

const NAME = /^(P\d{4})(?:-(\w+))?\.svg$/

/** Product pictures by file name: `P0001.svg`, `P0001-near.svg`. Each is drawn when it is first asked for. */
export function createPictures(shelf: Shelf): { get(name: string): Asset | undefined } {
  // As many as there are products and views.
  const drawn = new Map<string, Asset>()
  return {
    get(name) {
      const known = drawn.get(name)
      if (known) return known
      const [, id = '', viewName = 'front'] = NAME.exec(name) ?? []
      const product = shelf.product(id)
      const view = VIEWS.find((each) => each === viewName)
      if (!product || !view) return undefined
      const asset = assetOf(pictureOf(product, view), 'svg')
      drawn.set(name, asset)
      return asset
    },
  }
}
