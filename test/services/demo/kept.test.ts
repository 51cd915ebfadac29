import { access, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Api } from '../../../services/demo/api.ts'
import { keptDemo, NotADemo, removeCutOff } from '../../../services/demo/load/kept.ts'

let folder: string
const written: string[] = []
beforeEach(async () => {
  written.length = 0
  folder = await mkdtemp(join(tmpdir(), 'demo-note-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** An installation with these accounts and shops, which records every write to it in `written`. */
function depsOf(installation: { accounts: object[]; shops: object[] }) {
  const write = async <T>(path: string) => {
    written.push(path)
    return { id: 'made', status: 'DONE', message: null, passwordLink: { url: 'http://panel.example' } } as T
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
    accept: write,
  }
  const log = {
    append: async () => {
      written.push('log')
      return []
    },
  }
  const images = Promise.resolve(new Map())
  const shopUrl = 'http://shop.example'
  return { api, password: 'of the test', log, products: [], images, shopUrl, now: 0, onStep: () => {} }
}

const note = { shopId: 'demo-shop', feedId: 'feed', units: {}, shopUrl: 'http://shop.example' }

it('writes nothing to an installation that has accounts and no note of a demo', async () => {
  const deps = depsOf({ accounts: [{ kind: 'PUBLISHER' }], shops: [{ id: 'a-real-shop' }] })
  await expect(keptDemo(folder, deps)).rejects.toThrow(NotADemo)
  expect(written).toEqual([])
})

it("writes nothing to an installation that does not have the note's shop", async () => {
  await writeFile(join(folder, 'demo.json'), JSON.stringify(note))
  const deps = depsOf({ accounts: [{ kind: 'PUBLISHER' }], shops: [{ id: 'a-real-shop' }] })
  await expect(keptDemo(folder, deps)).rejects.toThrow(NotADemo)
  expect(written).toEqual([])
})

it('finds a demo again and loads nothing', async () => {
  await writeFile(join(folder, 'demo.json'), JSON.stringify(note))
  const deps = depsOf({ accounts: [{ kind: 'PUBLISHER' }], shops: [{ id: 'demo-shop' }] })
  expect(await keptDemo(folder, deps)).toMatchObject({ shopId: 'demo-shop', isNew: false })
  expect(written).toEqual([])
})

it("sends the feed anew, and nothing else, where the shop's address is another one", async () => {
  await writeFile(join(folder, 'demo.json'), JSON.stringify({ ...note, shopUrl: 'http://old.example' }))
  const deps = depsOf({ accounts: [{ kind: 'PUBLISHER' }], shops: [{ id: 'demo-shop' }] })
  expect(await keptDemo(folder, deps)).toMatchObject({ shopUrl: 'http://shop.example' })
  expect(written).toEqual(['/v1/panel/feeds/feed/content'])
})

describe('a load that was cut off', () => {
  const ENDED_PID = 2 ** 22 + 1
  const fill = async (pid: number) => {
    await mkdir(join(folder, 'log'))
    for (const name of ['log/event-log.db', 'bootstrap-token', 'a-file-of-mine'])
      await writeFile(join(folder, name), '')
    await writeFile(join(folder, 'demo-loading'), String(pid))
  }

  it('begins anew: what it stored is removed, and nothing else', async () => {
    await fill(ENDED_PID)
    removeCutOff(folder)
    expect((await readdir(folder)).sort()).toEqual(['a-file-of-mine', 'bootstrap-token'])
  })

  it('is known by the mark that it leaves', async () => {
    const deps = depsOf({ accounts: [{ kind: 'OPERATOR' }], shops: [] })
    await expect(keptDemo(folder, { ...deps, images: Promise.reject(new Error('no pictures')) })).rejects.toThrow(
      'no pictures',
    )
    await access(join(folder, 'demo-loading'))
  })

  it('is left alone while its process runs', async () => {
    await fill(process.ppid)
    expect(() => removeCutOff(folder)).toThrow(NotADemo)
    await access(join(folder, 'log/event-log.db'))
  })

  it('keeps what it stored when it was cut off after its last step', async () => {
    await fill(ENDED_PID)
    await writeFile(join(folder, 'demo.json'), JSON.stringify(note))
    removeCutOff(folder)
    await access(join(folder, 'log/event-log.db'))
    await expect(access(join(folder, 'demo-loading'))).rejects.toThrow()
  })

  it('removes nothing without a mark', async () => {
    await mkdir(join(folder, 'log'))
    removeCutOff(folder)
    expect(await readdir(folder)).toEqual(['log'])
  })
})
