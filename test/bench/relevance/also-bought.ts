/**
 * Hit@10 of the also-bought lists. It learns from `train.csv.gz` in a folder; then each product of each order in `dev.csv.gz` (or
 * in a given file) asks for 10 products. A list is a hit when it has one of the order's other products.
 *
 *     node test/bench/relevance/also-bought.ts <folder> [file]
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { alsoBought, type OrderBasket } from '../../../streams/signals/also-bought.ts'
import { HALF_LIFE_DAYS, WINDOW_DAYS } from '../../../streams/signals/shop-signals.ts'

const ASKED = 10

/** Reads the orders of a gzipped CSV with InvoiceNo, StockCode, …, InvoiceDate ("2011-08-31 12:00:00"). */
function readOrders(file: string): OrderBasket[] {
  type Row = { InvoiceNo: string; StockCode: string; InvoiceDate: string }
  const rows: Row[] = parse(gunzipSync(readFileSync(file)), { columns: true })
  const baskets = new Map<string, { occurredAt: number; items: string[] }>()
  for (const { InvoiceNo, StockCode, InvoiceDate } of rows) {
    const occurredAt = Date.parse(`${InvoiceDate.replace(' ', 'T')}Z`)
    const basket = baskets.get(InvoiceNo) ?? { occurredAt, items: [] }
    basket.items.push(StockCode)
    baskets.set(InvoiceNo, basket)
  }
  return [...baskets.values()]
}

const [folder, file = 'dev.csv.gz'] = process.argv.slice(2)
if (!folder)
  throw new Error('usage: node test/bench/relevance/also-bought.ts <folder with train.csv.gz and dev.csv.gz> [file]')

const train = readOrders(join(folder, 'train.csv.gz'))
const now = Math.max(...train.map((basket) => basket.occurredAt))
const startedAt = performance.now()
const lists = new Map<string, string[]>()
for (const { id, alsoBought: list } of alsoBought(train, now)) {
  lists.set(
    id,
    list.slice(0, ASKED).map((entry) => entry.id),
  )
}
const elapsedMs = Math.round(performance.now() - startedAt)

/** The list for a product that nobody has bought yet: the bestsellers of the shop, as `streams/signals/signals.ts` counts them. */
const bestsellers = mostPopular(train)

let asks = 0
let [hits, hitsWithoutFallback] = [0, 0]
for (const { items } of readOrders(join(folder, file))) {
  const bought = new Set(items)
  if (bought.size < 2) continue
  for (const item of bought) {
    asks++
    const isHit = (id: string) => id !== item && bought.has(id)
    if (lists.get(item)?.some(isHit)) hitsWithoutFallback++
    if ((lists.get(item) ?? bestsellers).some(isHit)) hits++
  }
}
const lines = train.reduce((sum, basket) => sum + basket.items.length, 0)
console.log(`${lists.size} lists of ${lines} order lines in ${elapsedMs} ms`)
console.log(
  `also-bought: Hit@${ASKED} ${(hits / asks).toFixed(4)} over ${asks} asks, bestsellers for products never bought before`,
)
console.log(`             Hit@${ASKED} ${(hitsWithoutFallback / asks).toFixed(4)} when those get nothing`)

function mostPopular(baskets: readonly OrderBasket[]): string[] {
  const popularity = new Map<string, number>()
  for (const { items, occurredAt } of baskets) {
    const ageDays = (now - occurredAt) / 86_400_000
    if (ageDays > WINDOW_DAYS) continue
    for (const id of new Set(items)) popularity.set(id, (popularity.get(id) ?? 0) + 2 ** (-ageDays / HALF_LIFE_DAYS))
  }
  return [...popularity.entries()]
    .sort((a, b) => b[1] - a[1])
    .slice(0, ASKED)
    .map(([id]) => id)
}
