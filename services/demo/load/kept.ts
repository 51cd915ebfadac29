import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../domain/errors.ts'
import { STORES } from '../../process/data-folder.ts'
import type { Api } from '../api.ts'
import { type DemoShop, type LoadDeps, loadDemo, sendFeed } from './load.ts'

/** Thrown for a data folder that the demo must not touch. */
export class NotADemo extends OperatorError {
  override readonly name = 'NotADemo'
}

/** A file that exists while a process loads a demo into the folder, which was empty before. It names the process. */
const markerOf = (dataFolder: string) => join(dataFolder, 'demo-loading')
const noteOf = (dataFolder: string) => join(dataFolder, 'demo.json')

/**
 * Empties the folder when a load was cut off in it, so that the demo is loaded again. Call it before anything is opened.
 * @throws NotADemo while another process loads.
 */
export function removeCutOff(dataFolder: string): void {
  const pid = Number(readText(markerOf(dataFolder)) ?? Number.NaN)
  if (Number.isNaN(pid)) return
  if (pid !== process.pid && isRunning(pid)) {
    throw new NotADemo(
      `Process ${pid} is loading a demo into ${dataFolder}. If it is another program, remove ${markerOf(dataFolder)}.`,
    )
  }
  if (readNote(noteOf(dataFolder)) === null) {
    for (const name of STORES) rmSync(join(dataFolder, name), { recursive: true, force: true })
  }
  rmSync(markerOf(dataFolder))
}

/**
 * The demo of an installation. It is loaded into an empty one, and recognised later by the note that the first load left.
 * @throws NotADemo when the installation has other data.
 */
export async function keptDemo(dataFolder: string, deps: LoadDeps): Promise<DemoShop & { isNew: boolean }> {
  const noteFile = noteOf(dataFolder)
  const note = readNote(noteFile)
  if (note === null) {
    await mustBeEmpty(deps.api, noteFile)
    writeFileSync(markerOf(dataFolder), String(process.pid))
    const shop = await loadDemo(deps)
    writeFileSync(noteFile, `${JSON.stringify(shop, null, 1)}\n`)
    rmSync(markerOf(dataFolder))
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
export function loadedBefore(dataFolder: string): 'NO' | 'PUBLISHED' | 'OWN' {
  const note = readNote(noteOf(dataFolder))
  if (note === null) return 'NO'
  return note.hasOwnPassword ? 'OWN' : 'PUBLISHED'
}

function readNote(noteFile: string): DemoShop | null {
  try {
    return JSON.parse(readText(noteFile) ?? 'null') as DemoShop | null
  } catch {
    // The load was cut off while it wrote the note.
    return null
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function mustBeEmpty(api: Api, noteFile: string): Promise<void> {
  const { items } = await api.get<{ items: { kind: string }[] }>('/v1/panel/accounts?limit=100')
  if (items.every(({ kind }) => kind === 'OPERATOR')) return
  throw new NotADemo(
    `There are accounts already, and no demo (${noteFile} is missing). The demo loads only into an empty installation: ` +
      'name another folder in DATA_DIR and, on real engines, another NAMESPACE.',
  )
}

async function mustKnow(api: Api, { shopId }: DemoShop, noteFile: string): Promise<void> {
  const { items } = await api.get<{ items: { id: string }[] }>('/v1/panel/shops?limit=1000')
  if (items.some(({ id }) => id === shopId)) return
  throw new NotADemo(
    `${noteFile} tells of a demo that is not in this installation. Remove that file, or name another DATA_DIR.`,
  )
}
