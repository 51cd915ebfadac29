/**
 * Hit@10 of the also-bought lists: learns from `train.csv.gz` of a folder, then each product of each order of
 * `dev.csv.gz` (or a file given) asks for 10; an ask is a hit when one of the order's other products is among them.
 *
 *     node test/bench/also-bought.ts <folder> [file]
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { alsoBought, type Basket } from '../../streams/also-bought.ts'

const ASKED = 10

/** Orders of a gzipped CSV with InvoiceNo, StockCode, …, InvoiceDate ("2011-08-31 12:00:00"). */
function readOrders(file: string): Basket[] {
  const [header, ...rows] = gunzipSync(readFileSync(file)).toString().trim().split(/\r?\n/)
  const column = (name: string) => header!.split(',').indexOf(name)
  const [order, product, date] = [column('InvoiceNo'), column('StockCode'), column('InvoiceDate')]
  const baskets = new Map<string, { occurredAt: number; items: string[] }>()
  for (const row of rows) {
    const values = cells(row)
    const id = values[order]!
    const basket = baskets.get(id) ?? { occurredAt: Date.parse(`${values[date]!.replace(' ', 'T')}Z`), items: [] }
    basket.items.push(values[product]!)
    baskets.set(id, basket)
  }
  return [...baskets.values()]
}

/** The cells of one CSV line; quoted ones may hold commas. */
const cells = (line: string) => [...line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map((match) => match[1]!)

const [folder, file = 'dev.csv.gz'] = process.argv.slice(2)
if (!folder) throw new Error('usage: node test/bench/also-bought.ts <folder with train.csv.gz and dev.csv.gz> [file]')

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

let asks = 0
let hits = 0
for (const { items } of readOrders(join(folder, file))) {
  const bought = new Set(items)
  if (bought.size < 2) continue
  for (const item of bought) {
    asks++
    if (lists.get(item)?.some((id) => id !== item && bought.has(id))) hits++
  }
}
const lines = train.reduce((sum, basket) => sum + basket.items.length, 0)
console.log(
  `also-bought: Hit@${ASKED} ${(hits / asks).toFixed(4)} over ${asks} asks; ${lists.size} lists of ${lines} order lines in ${elapsedMs} ms`,
)
