import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual, promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { topicNames, topics } from '../../../schemas/topics.ts'
import { answersOfClosed, CLOSING, type ClosedMonth, closeMonth } from '../../journey/closed-month.ts'
import { type JourneyShop, openShop, type Selection } from '../../journey/shop.ts'
import { must, type Program, startProgram } from '../../program.ts'
import { bytesOf, happened, keyOf } from '../../streams/attribution/happenings.ts'
import { waitFor } from '../../wait-for.ts'

const run = promisify(execFile)
const BUYERS = 2
const PRICE = 10
/** The pause between two visits of a buyer: the load should be steady, not heavy. */
const PAUSE_MS = 50
const DAY_MS = 86_400_000

interface Audit {
  logged: number
  stored: number
  duplicates: number
  deadLetters: number
}

describe('an embedded installation', () => {
  let folder: string
  let program: Program
  let shop: JourneyShop
  /** The shop of the closed month. */
  const earlierShopId = randomUUID()
  let closed: ClosedMonth
  const acknowledged: string[] = []
  let adsBought = 0
  let shopping = true
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'endcap-backup-'))
    const log = await openEmbeddedEventLog({ folder: join(folder, 'original', 'log') })
    const registered = happened.shop({ id: earlierShopId, version: 1, clickWindowHours: 336, viewWindowHours: 24 })
    await log.append([{ topic: registered.topic, key: keyOf(registered), value: bytesOf(registered) }])
    await log.close()
    closed = await closeMonth(join(folder, 'original'), earlierShopId)
    program = await start('original')
    const present = { call: <T>(...call: Parameters<Program['call']>) => program.call<T>(...call) }
    shop = await openShop(present, { budget: 1_000 })
  })
  afterAll(async () => {
    await program?.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })

  const start = (dataFolder: string) => startProgram({ folder: join(folder, dataFolder), env: CLOSING })

  const command = (name: 'backup' | 'restore', dataFolder: string, file: string) =>
    run(process.execPath, [join(import.meta.dirname, `../../../services/${name}.ts`), join(folder, file)], {
      env: { ...process.env, DATA_DIR: join(folder, dataFolder) },
    })

  /** Views, clicks and buys until it is told to stop, or a given number of times. */
  async function buy(name: string, times = Number.POSITIVE_INFINITY): Promise<void> {
    for (let visit = 0; shopping && visit < times; visit++) {
      const cid = `${name}-${visit}`
      const ads = await shop.askForAds(cid, 'desk lamp')
      const events = ads.flatMap(({ showId }) => [
        { type: 'VIEW', showId },
        { type: 'CLICK', showId },
      ])
      await shop.post('/v1/ev/batch', { events }, { cid })
      const products = ads.map(({ shopProductId }) => ({ shopProductId, price: PRICE, quantity: 1 }))
      const sale = { eventId: cid, kind: 'PURCHASE', shopId: shop.shopId, currency: 'EUR', products }
      await shop.post('/v1/ev/transaction', sale, { cid })
      acknowledged.push(cid)
      adsBought += ads.length
      await sleep(PAUSE_MS)
    }
  }

  const get = <T>(path: string) => must(program.call<T>('GET', path))
  const spent = async () => (await get<{ spent: number }>(`/v1/panel/campaigns/${shop.campaignId}`)).spent
  const from = new Date(Date.now() - DAY_MS).toISOString()
  const to = new Date(Date.now() + DAY_MS).toISOString()
  const report = (groupBy: string) =>
    get<{ totals: Record<string, number> }>(
      `/v1/panel/reports?shopId=${shop.shopId}&from=${from}&to=${to}&groupBy=${groupBy}&metrics=views,clicks,spend,purchases,revenue,invalid`,
    )

  /** Waits until everything acknowledged is judged, stored and credited, and the campaign's spend is known. */
  async function untilSettled(): Promise<void> {
    const all = {
      views: adsBought,
      clicks: adsBought,
      purchases: acknowledged.length,
      revenue: adsBought * PRICE,
      invalid: 0,
    }
    await waitFor(async () => {
      const { totals } = await report('campaign')
      const { logged, stored } = await get<Audit>('/v1/panel/audit')
      return isDeepStrictEqual({ ...totals, ...all }, totals) && logged === stored && (await spent()) === totals.spend
    })
  }

  /** What the program reports, without what changes by time alone. */
  async function answers(): Promise<unknown> {
    const lists = ['accounts', 'shops', 'feeds', 'placements', 'ad-units', 'campaigns']
    return {
      registry: await Promise.all(lists.map((list) => get(`/v1/panel/${list}`))),
      reports: await Promise.all(['campaign', 'product'].map(report)),
      closed: await answersOfClosed(program, earlierShopId, closed),
      audit: await get<Audit>('/v1/panel/audit').then(({ logged, stored, duplicates }) => ({
        logged,
        stored,
        duplicates,
      })),
    }
  }

  /** A hash of each record in the log of a folder, by its position. */
  async function recordsIn(dataFolder: string): Promise<Map<string, string>> {
    const log = await openEmbeddedEventLog({ folder: join(folder, dataFolder, 'log') })
    const lines = new Map<string, string>()
    for (const topic of topicNames) {
      const tail = await log.tail(topic, (records) => {
        for (const { partition, offset, key, value } of records) {
          const hash = createHash('sha256').update(value ?? '')
          lines.set(`${topic}/${partition}/${offset}`, `${key} ${hash.digest('hex')}`)
        }
      })
      await tail.close()
    }
    await log.close()
    return lines
  }

  /** A hash of the rows of each table of a folder. Rows that are replaced count as gone, whether or not they are merged away. */
  async function tablesIn(dataFolder: string): Promise<object> {
    const analytics = await openEmbeddedAnalytics({ folder: join(folder, dataFolder, 'analytics') })
    const tables = await analytics.query<{ name: string }>(
      `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name`,
    )
    const hashes: Record<string, string> = {}
    for (const { name } of tables) {
      const [found] = await analytics.query<{ hash: string }>(
        `SELECT concat(toString(count()), ' ', hex(sum(cityHash64(formatRow('JSONEachRow', *))))) AS hash FROM ${name} SETTINGS final = 1`,
      )
      hashes[name] = found!.hash
    }
    await analytics.close()
    return hashes
  }

  it('is backed up while it works, and restored to that moment with every event once', async () => {
    await buy('early', 3)
    const load = Promise.all(Array.from({ length: BUYERS }, (_, i) => buy(`late-${i}`)))
    await waitFor(() => acknowledged.length > 12)
    const before = [...acknowledged]
    await command('backup', 'original', 'under-load')
    await waitFor(() => acknowledged.length > before.length + 5)
    shopping = false
    await load
    expect((await stat(join(folder, 'under-load'))).mode & 0o777).toBe(0o600)
    expect(existsSync(join(folder, 'under-load.part'))).toBe(false)

    await untilSettled()
    const present = await answers()
    expect(present).toMatchObject({
      closed: { requests: closed.requests, forgottenUntil: new Date(closed.end).toISOString() },
    })
    await program.kill('SIGKILL')
    await command('backup', 'original', 'quiet')

    await command('restore', 'under-load-restored', 'under-load')
    await command('restore', 'quiet-restored', 'quiet')

    // Compaction may have removed records that were overwritten since. Apart from that, only later records may be missing.
    const original = await recordsIn('original')
    const retained = (lines: Map<string, string>) =>
      [...lines].filter(([place]) => topics[place.split('/')[0] as keyof typeof topics].kind === 'retained')
    const copied = await recordsIn('quiet-restored')
    expect(new Map(retained(copied))).toEqual(new Map(retained(original)))
    expect([...original].filter(([place, line]) => copied.has(place) && copied.get(place) !== line)).toEqual([])

    expect(await tablesIn('quiet-restored')).toEqual(await tablesIn('original'))

    program = await start('quiet-restored')
    await untilSettled()
    await expect.poll(answers).toEqual(present)
    const asked = { targeting: [{ slotHash: shop.slotHash, adCount: 2, searchData: 'desk lamp' }] }
    await waitFor(async () => {
      const { body } = await program.call<Selection>('POST', '/v1/dsa/raw/batch', asked, { cid: 'restored' })
      return body.data[0]!.ads.length > 0
    })
    await program.kill('SIGTERM')

    program = await start('under-load-restored')
    await waitFor(async () => {
      const { totals } = await report('campaign')
      const { logged, stored } = await get<Audit>('/v1/panel/audit')
      return totals.purchases! >= before.length && logged === stored && (await spent()) === totals.spend
    })
    expect(await get<Audit>('/v1/panel/audit')).toMatchObject({ duplicates: 0, deadLetters: 0 })
    const { totals } = await report('campaign')
    expect(totals.purchases).toBeLessThanOrEqual(acknowledged.length)
    expect(totals.invalid).toBe(0)
    for (const eventId of before.slice(-5)) {
      const path = `/v1/panel/explain/attribution/${eventId}?shopId=${shop.shopId}`
      await waitFor(async () => JSON.stringify(await get(path)).includes('"outcome":"CREDITED"'))
    }
    expect(totals.spend).toBeGreaterThan(1)
  })
})
