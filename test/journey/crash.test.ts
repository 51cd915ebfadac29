import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tries } from '../effort.ts'
import { type Program, startProgram } from '../program.ts'
import { waitFor } from '../wait-for.ts'
import { attributedSale, type JourneyShop, openShop, type Selection } from './shop.ts'

const ROUNDS = tries(2, 8)
const SHOPPERS = 8
/** The number of purchases, the last ones, whose attribution is requested. */
const EXPLAINED = tries(10, 100)

interface Audit {
  logged: number
  stored: number
  duplicates: number
  deadLetters: number
}

describe('the whole program is killed again and again while shoppers see, click and buy', () => {
  let program: Program
  let shop: JourneyShop
  const acknowledged = { views: 0, purchases: [] as string[] }
  /** Views that were sent and may have been stored: the answer was cut off. */
  let unanswered = 0

  beforeAll(async () => {
    program = await startProgram()
    shop = await openShop(program)
  })
  afterAll(() => program?.stop())

  /** Shops until the server is gone. */
  async function shopper(name: string): Promise<void> {
    for (let visit = 0; ; visit++) {
      const headers = { cid: `${name}-${visit}` }
      const targeting = [{ slotHash: shop.slotHash, adCount: 2, searchData: 'desk lamp' }]
      const answer = await program
        .call<Selection>('POST', '/v1/dsa/raw/batch', { targeting }, headers)
        .catch(() => null)
      if (answer?.status !== 200) return
      const ads = answer.body.data[0]!.ads
      const events = ads.map(({ showId }) => ({ type: 'VIEW', showId }))
      const views = await program
        .call<{ accepted: number }>('POST', '/v1/ev/batch', { events }, headers)
        .catch(() => null)
      if (views?.status !== 202) {
        unanswered += ads.length
        return
      }
      acknowledged.views += views.body.accepted
      const eventId = `${name}-order-${visit}`
      const products = ads.map(({ shopProductId }) => ({ shopProductId, price: 10, quantity: 1 }))
      const sale = await program
        .call(
          'POST',
          '/v1/ev/transaction',
          { eventId, kind: 'PURCHASE', shopId: shop.shopId, currency: 'EUR', products },
          headers,
        )
        .catch(() => null)
      if (sale?.status !== 202) return
      acknowledged.purchases.push(eventId)
    }
  }

  it('loses nothing that it acknowledged and stores nothing twice', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const shoppers = Array.from({ length: SHOPPERS }, (_, i) => shopper(`shopper-${round}-${i}`))
      await new Promise((resolve) => setTimeout(resolve, 700 + round * 450))
      await program.kill('SIGKILL')
      await Promise.all(shoppers)
      program = await startProgram({ folder: program.folder })
    }
    let audit: Audit | undefined
    await waitFor(async () => {
      audit = (await program.call<Audit>('GET', '/v1/panel/audit')).body
      return audit.logged === audit.stored
    })
    expect(audit).toMatchObject({ duplicates: 0, deadLetters: 0 })

    const day = 86_400_000
    const at = (ms: number) => new Date(ms).toISOString()
    const query = `shopId=${shop.shopId}&from=${at(Date.now() - day)}&to=${at(Date.now() + day)}&metrics=views,invalid,purchases`
    let totals = { views: 0, invalid: 0, purchases: 0 }
    await waitFor(async () => {
      totals = (await program.call<{ totals: typeof totals }>('GET', `/v1/panel/reports?${query}`)).body.totals
      return totals.purchases >= acknowledged.purchases.length && totals.views >= acknowledged.views
    })
    expect(acknowledged.purchases.length).toBeGreaterThan(ROUNDS)
    expect(totals.views).toBeLessThanOrEqual(acknowledged.views + unanswered)
    expect(totals.invalid).toBe(0)
    for (const eventId of acknowledged.purchases.slice(-EXPLAINED)) {
      await attributedSale(program, shop.shopId, eventId)
    }
  })
})
