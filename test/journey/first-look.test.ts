import { expect, it } from 'vitest'
import { startProgram } from '../program.ts'
import { waitFor } from '../wait-for.ts'
import { openShop } from './shop.ts'

interface Explained {
  transactions: { lines: { shopProductId: string; outcome: string }[] }[]
}

/** Longer than a record waits to be stored while somebody reads. */
const UNREAD_SECONDS = 2

/** A program that has just started has not measured it yet. */
const sinkLagSeconds = (metrics: string) =>
  Number(/^endcap_stream_lag_seconds\{stream="sink"\} (\S+)$/m.exec(metrics)?.[1] ?? 0)

it('rows are stored seldom while nobody looks, and who looks first sees what came until then, with its credit', async () => {
  const program = await startProgram()
  try {
    const shop = await openShop(program)
    const products = [{ shopProductId: 'lamp-red', price: 20.5, quantity: 1 }]
    const order = { eventId: 'order-1', kind: 'PURCHASE', shopId: shop.shopId, currency: 'EUR', products }
    await shop.post('/v1/ev/transaction', order, { cid: 'ann' })
    await waitFor(async () => sinkLagSeconds(await program.metrics()) >= UNREAD_SECONDS)
    const explained = await shop.get<Explained>(`/v1/panel/explain/attribution/order-1?shopId=${shop.shopId}`)
    expect(explained.transactions.flatMap(({ lines }) => lines)).toMatchObject([
      { shopProductId: 'lamp-red', outcome: 'NO_TOUCH' },
    ])
    const { topics } = await shop.get<{ topics: { topic: string }[] }>('/v1/panel/audit')
    const bought = topics.find(({ topic }) => topic === 'transactions')
    expect(bought).toMatchObject({ logged: 1, stored: 1, lagMs: 0 })
  } finally {
    await program.stop()
  }
})
