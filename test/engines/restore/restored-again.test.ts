import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { firstOffsetOf } from '../../../infra/event-log/epochs.ts'
import { tries } from '../../effort.ts'
import { type Ad, openShop } from '../../journey/shop.ts'
import { must, type Program, startProgram } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import { testNamespace } from '../addresses.ts'
import { removeNamespace, settingsIn } from '../namespace.ts'
import { ageTopics, startMirror } from './mirror.ts'
import { runToEnd } from './scripts.ts'
import { judgedIn, verdictsOf } from './verdicts.ts'

/** A log that was restored from a mirror is mirrored and restored again, with a part of one campaign's budget spent on each. */

const PARTITIONS = tries(12, 48)
const [first, second, third] = [testNamespace(), testNamespace(), testNamespace()]
/** More than the mirrors will hold, so that every offset in the first log is greater than those in the second. */
const EXPIRED_RECORDS = 300
/** The shop's reserve, which a campaign pays for a click when it is alone in its auction. */
const PRICE = 0.05
const CLICKS_PAID = 10
const CLICKED_ON_EACH = 4
const DAY_MS = 86_400_000
const WAIT_MS = 180_000
/** Longer than that of other tests, because the program starts three times and two restores run. */
const TEST_TIMEOUT_MS = 900_000
const keys = `1:${randomBytes(32).toString('base64url')}`
const settings = {
  SHOW_ID_KEYS: keys,
  SESSION_KEYS: keys,
  SELECTION_DEADLINE_MS: '5000',
  KAFKA_PARTITIONS: String(PARTITIONS),
}

interface Shopper {
  cid: string
  ad: Ad
}

let program: Program
afterAll(async () => {
  await program?.stop()
  await Promise.all([first, second, third].map(removeNamespace))
})

const start = async (namespace: string) => {
  program = await startProgram({ env: { ...settingsIn(namespace), ...settings } })
}
const get = <T = Record<string, number>>(path: string) => must(program.call<T>('GET', path))
const click = ({ cid, ad: { showId } }: Shopper) =>
  must(program.call('POST', '/v1/dsa/click-event', { showId }, { cid }))

async function settled(): Promise<void> {
  await waitFor(async () => {
    const { logged, stored, lagMs } = await get('/v1/panel/audit')
    return logged === stored && lagMs === 0
  })
}

/** Loses the log of `from`, and goes on with a mirror of it. @returns what the restore said. */
async function moveTo(to: string, from: string): Promise<string> {
  const mirror = await startMirror(from, to, PARTITIONS)
  await settled()
  await mirror.copy()
  await program.kill('SIGKILL')
  await rm(program.folder, { recursive: true })
  await mirror.close()
  const { code, output } = await runToEnd('restore-log', { ...settingsIn(to), ...settings })
  expect({ code, output }).toMatchObject({ code: 0 })
  await start(to)
  return output
}

test(
  'verdicts, reports and budgets survive a second restore, and what was billed on either log is a repetition',
  async () => {
    await ageTopics(first, ['ad-events', 'judged-events'], EXPIRED_RECORDS, PARTITIONS)
    await start(first)
    const shop = await openShop(
      { call: <T>(...call: Parameters<Program['call']>) => program.call<T>(...call) },
      { lamps: ['red'], budget: CLICKS_PAID * PRICE },
    )
    const shoppers: Shopper[] = []
    for (let i = 0; i < 3 * CLICKED_ON_EACH; i++) {
      const cid = `shopper-${i}`
      await waitFor(async () => {
        const [ad] = await shop.askForAds(cid, 'desk lamp', 1)
        if (ad) shoppers.push({ cid, ad })
        return ad !== undefined
      })
    }
    const groups = [0, 1, 2].map((i) => shoppers.slice(i * CLICKED_ON_EACH, (i + 1) * CLICKED_ON_EACH))
    const [from, to] = [-DAY_MS, DAY_MS].map((ms) => new Date(Date.now() + ms).toISOString())
    const report = async () =>
      (
        await get<{ totals: object }>(
          `/v1/panel/reports?shopId=${shop.shopId}&from=${from}&to=${to}&metrics=clicks,spend`,
        )
      ).totals
    const clicksAre = (clicks: number) =>
      expect.poll(report, { timeout: WAIT_MS }).toMatchObject({ clicks, spend: expect.closeTo(clicks * PRICE) })

    for (const shopper of groups[0]!) await click(shopper)
    await clicksAre(CLICKED_ON_EACH)
    expect(await moveTo(second, first)).toContain('The log is in epoch 1')
    await clicksAre(CLICKED_ON_EACH)
    for (const shopper of groups[1]!) await click(shopper)
    await clicksAre(2 * CLICKED_ON_EACH)
    const before = verdictsOf(await judgedIn(settingsIn(second)))

    expect(await moveTo(third, second)).toContain('The log is in epoch 2')
    await clicksAre(2 * CLICKED_ON_EACH)
    expect(verdictsOf(await judgedIn(settingsIn(third)))).toEqual(before)
    for (const shopper of shoppers) await click(shopper)
    await waitFor(async () => (await judgedIn(settingsIn(third))).length === before.size + shoppers.length)
    const after = (await judgedIn(settingsIn(third))).filter(({ eventId }) => !before.has(eventId))
    expect(after.every(({ sourceOffset }) => sourceOffset >= firstOffsetOf(2))).toBe(true)
    const left = CLICKS_PAID - 2 * CLICKED_ON_EACH
    expect(
      Object.entries(Object.groupBy(after, ({ verdict }) => verdict)).map(([name, found]) => [name, found!.length]),
    ).toEqual([
      ['DUPLICATE', 2 * CLICKED_ON_EACH],
      ['VALID', left],
      ['OVER_BUDGET', CLICKED_ON_EACH - left],
    ])
    await clicksAre(CLICKS_PAID)
    await settled()
    expect(await get('/v1/panel/audit')).toMatchObject({ duplicates: 0, deadLetters: 0 })
  },
  TEST_TIMEOUT_MS,
)
