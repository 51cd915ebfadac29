import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Api } from '../../../services/demo/api.ts'
import { keptDemo, NotADemo } from '../../../services/demo/load/kept.ts'

let folder: string
const written: string[] = []
beforeEach(async () => {
  written.length = 0
  folder = await mkdtemp(join(tmpdir(), 'demo-note-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** An installation with these accounts and shops, that notes whatever is written to it. */
function depsOf(installation: { accounts: object[]; shops: object[] }) {
  const write = async <T>(path: string) => {
    written.push(path)
    return { id: 'made', status: 'DONE', message: null } as T
  }
  const api: Api = {
    get: async <T>(path: string) =>
      (path.startsWith('/v1/panel/accounts')
        ? { items: installation.accounts }
        : path.startsWith('/v1/panel/shops')
          ? { items: installation.shops }
          : { status: 'DONE', message: null }) as T,
    post: write,
    postLines: write,
    postFile: write,
  }
  const log = {
    append: async () => {
      written.push('log')
      return []
    },
  }
  return { api, password: 'of the test', log, products: [], shopUrl: 'http://shop.example', now: 0, onStep: () => {} }
}

const note = { shopId: 'demo-shop', feedId: 'feed', units: {}, shopUrl: 'http://shop.example' }

it('writes nothing to an installation that has accounts and no note of a demo', async () => {
  const deps = depsOf({ accounts: [{ kind: 'PUBLISHER' }], shops: [{ id: 'a-real-shop' }] })
  await expect(keptDemo(join(folder, 'demo.json'), deps)).rejects.toThrow(NotADemo)
  expect(written).toEqual([])
})

it("writes nothing to an installation that does not have the note's shop", async () => {
  await writeFile(join(folder, 'demo.json'), JSON.stringify(note))
  const deps = depsOf({ accounts: [{ kind: 'PUBLISHER' }], shops: [{ id: 'a-real-shop' }] })
  await expect(keptDemo(join(folder, 'demo.json'), deps)).rejects.toThrow(NotADemo)
  expect(written).toEqual([])
})

it('finds a demo again and loads nothing', async () => {
  await writeFile(join(folder, 'demo.json'), JSON.stringify(note))
  const deps = depsOf({ accounts: [{ kind: 'PUBLISHER' }], shops: [{ id: 'demo-shop' }] })
  expect(await keptDemo(join(folder, 'demo.json'), deps)).toMatchObject({ shopId: 'demo-shop', isNew: false })
  expect(written).toEqual([])
})

it("sends the feed anew, and nothing else, where the shop's address is another one", async () => {
  await writeFile(join(folder, 'demo.json'), JSON.stringify({ ...note, shopUrl: 'http://old.example' }))
  const deps = depsOf({ accounts: [{ kind: 'PUBLISHER' }], shops: [{ id: 'demo-shop' }] })
  expect(await keptDemo(join(folder, 'demo.json'), deps)).toMatchObject({ shopUrl: 'http://shop.example' })
  expect(written).toEqual(['/v1/panel/feeds/feed/content'])
})
