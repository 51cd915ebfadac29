import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freePort } from '../../../free-port.ts'
import { type RunningDemo, startDemo } from '../../demo.ts'
import { type Given, shopIdOf } from './given.ts'

/** Kills a first start while it loads, and starts again on the same data. */
export async function startKilledAndAgain(): Promise<RunningDemo> {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-demo-'))
  await expect(startDemo({ folder, killAt: 'weeks of history' })).rejects.toThrow('it ended')
  return startDemo({ folder })
}

/** How the demo starts and ends. */
export function startsSuite(given: Given): void {
  it('begins anew where a first start was killed', async () => {
    expect(given.demo.printed()).toContain('loading the demo: accounts')
    expect((await given.demo.api<{ items: unknown[] }>('/v1/panel/shops')).items.length).toBe(1)
  })

  it('loads the demo once: a second start on the same data finds it, and Ctrl-C stops it cleanly', async () => {
    const { folder } = given.demo
    const accounts = await given.demo.api<{ items: unknown[] }>('/v1/panel/accounts')
    expect(await given.demo.end()).toBe(0)
    given.demo = await startDemo({ folder })
    expect(given.demo.printed()).not.toContain('loading the demo: accounts')
    expect(await given.demo.api('/v1/panel/accounts')).toEqual(accounts)
    // The shop front has a new port, and the links in the feed have changed with it.
    const path = `/v1/panel/products?shopId=${await shopIdOf(given)}&q=kettle&limit=1`
    const link = async () => (await given.demo.api<{ items: { link: string }[] }>(path)).items[0]!.link
    await expect.poll(link).toContain(given.demo.shopUrl)
  })

  it.each(['HTTP_PORT', 'DEMO_PORT'])(
    'names the setting %s when its port is taken',
    async (name) => {
      const port = await freePort()
      const squatter = createServer().listen(port, '127.0.0.1')
      await expect(startDemo({ env: { [name]: String(port) } })).rejects.toThrow(
        `${name} must be a free port, not ${port}`,
      )
      squatter.close()
    },
    60_000,
  )
}
