import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { pictureOf, VIEWS } from '../pictures/picture.ts'
import type { Shelf } from './shelf.ts'

export interface Asset {
  content: string
  type: string
  etag: string
}

const FOLDER = new URL('./web/', import.meta.url)
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const assetOf = (content: string, ending: string): Asset => ({
  content,
  type: TYPES[ending]!,
  etag: `"${hashOf(content)}"`,
})

/** The parts of the style sheet, in the order of the cascade. */
const STYLES = ['base', 'demo-bar', 'frame', 'products', 'banners', 'listing', 'product', 'cart']

/** The browser's files, under a path that is a hash of their contents, so that they can be cached forever. */
export async function readAssets(): Promise<{ path: string; files: ReadonlyMap<string, Asset> }> {
  const read = (name: string) => readFile(new URL(name, FOLDER), 'utf8')
  const names = (await readdir(FOLDER)).filter((name) => name.split('.').at(-1)! in TYPES).sort()
  const files = await Promise.all(
    names.map(async (name): Promise<[string, Asset]> => [name, assetOf(await read(name), name.split('.').at(-1)!)]),
  )
  const styles = await Promise.all(STYLES.map((name) => read(`style/${name}.css`)))
  files.push(['style.css', assetOf(styles.join(''), 'css')])
  return { path: `/assets/${hashOf(files.map(([, { content }]) => content).join('\0'))}`, files: new Map(files) }
}

const hashOf = (content: string) => createHash('sha256').update(content).digest('base64url').slice(0, 12)

const NAME = /^(P\d{4})(?:-(\w+))?\.svg$/

/** Product pictures by file name: `P0001.svg`, `P0001-near.svg`. Each is drawn on first request. */
export function createPictures(shelf: Shelf): { get(name: string): Asset | undefined } {
  // Bounded by the number of products and views.
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
