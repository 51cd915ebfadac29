import { readFileSync, writeFileSync } from 'node:fs'
import type { Api } from '../api.ts'
import { type DemoShop, type LoadDeps, loadDemo, sendFeed } from './load.ts'

/** Thrown for a data folder that the demo must not touch. */
export class NotADemo extends Error {
  override readonly name = 'NotADemo'
}

/**
 * The demo of an installation. It is loaded into an empty one, and recognised later by the note that the first load left.
 * @throws NotADemo when the installation has other data, or an interrupted load.
 */
export async function keptDemo(noteFile: string, deps: LoadDeps): Promise<DemoShop & { isNew: boolean }> {
  const note = readNote(noteFile)
  if (note === null) {
    await mustBeEmpty(deps.api, noteFile)
    const shop = await loadDemo(deps)
    writeFileSync(noteFile, `${JSON.stringify(shop, null, 1)}\n`)
    return { ...shop, isNew: true }
  }
  await mustKnow(deps.api, note, noteFile)
  if (note.shopUrl === deps.shopUrl) return { ...note, isNew: false }
  // The shop front has a new address, so the feed is sent again with new links.
  await sendFeed(deps.api, { ...deps, feedId: note.feedId })
  const moved = { ...note, shopUrl: deps.shopUrl }
  writeFileSync(noteFile, `${JSON.stringify(moved, null, 1)}\n`)
  return { ...moved, isNew: false }
}

/** Whether the demo was loaded before, and with which password. */
export function loadedBefore(noteFile: string): 'NO' | 'PUBLISHED' | 'OWN' {
  const note = readNote(noteFile)
  if (note === null) return 'NO'
  return note.hasOwnPassword ? 'OWN' : 'PUBLISHED'
}

function readNote(noteFile: string): DemoShop | null {
  try {
    return JSON.parse(readFileSync(noteFile, 'utf8')) as DemoShop
  } catch {
    return null
  }
}

async function mustBeEmpty(api: Api, noteFile: string): Promise<void> {
  const { items } = await api.get<{ items: { kind: string }[] }>('/v1/panel/accounts?limit=100')
  if (items.every(({ kind }) => kind === 'OPERATOR')) return
  throw new NotADemo(
    `There are accounts already, and no whole demo (${noteFile} is missing). The demo loads only into an empty installation: ` +
      'remove the data folder if it holds nothing but a demo that was cut off, or name another one in DATA_DIR.',
  )
}

async function mustKnow(api: Api, { shopId }: DemoShop, noteFile: string): Promise<void> {
  const { items } = await api.get<{ items: { id: string }[] }>('/v1/panel/shops?limit=1000')
  if (items.some(({ id }) => id === shopId)) return
  throw new NotADemo(
    `${noteFile} tells of a demo that is not in this installation. Remove that file, or name another DATA_DIR.`,
  )
}
