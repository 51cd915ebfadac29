/**
 * Whether the weights of relevance.ts also hold for queries by which they were not chosen. For each fold of the judged queries, it
 * chooses the best weights of a grid by the other folds, and measures them on that fold. If the mean over the left-out folds is
 * below that of the weights in use, the grid has fitted the queries rather than what shoppers mean, and the weights stay. Then it
 * measures the queries as shoppers mistype them, by which nothing was chosen.
 *
 *     node test/bench/relevance/cross-validation.ts <folder with products.jsonl.gz and judgments.csv> [folds]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rowsOf } from '../../../infra/product-index/embedded/rows.ts'
import { openIndexSearcher } from '../../../infra/product-index/embedded/search/searcher.ts'
import { openIndexWriter } from '../../../infra/product-index/embedded/writer.ts'
import { fieldWeights } from '../../../infra/product-index/relevance.ts'
import { promotedOffer } from '../../infra/product-index/offer.fixture.ts'
import { readIcecat } from './icecat.ts'
import { icecatOffer } from './icecat-offer.ts'
import { DEPTH, judgedQueries, mean, ndcg, SHOP, searchOf } from './judged.ts'
import { variants } from './variants.ts'

const [source, folds = '10'] = process.argv.slice(2)
if (!source) throw new Error('usage: node test/bench/relevance/cross-validation.ts <folder> [folds]')
const FOLDS = Number(folds)

/** The grid: the weights in use, then one of them changed at a time. */
const changes = [
  { field: 'title', times: 1 } as const,
  ...[0.5, 2].flatMap((times) =>
    (['title', 'categories', 'attributes', 'description'] as const).map((field) => ({ field, times })),
  ),
]

const folder = mkdtempSync(join(tmpdir(), 'cross-validation-'))
const writer = openIndexWriter({ folder })
const offers = readIcecat(source).map((product) => icecatOffer(product, SHOP))
writer.write(rowsOf(offers.flatMap((offer) => promotedOffer(offer, ['all']))))
const searcher = openIndexSearcher({ folder })
const touched = writer.touched(searcher.seen())
const judged = judgedQueries(source)
const queries = [...judged.keys()]

const strict = crossValidate(1)
const wide = crossValidate(0)
for (const [name, { inUse, heldOut, spread }] of Object.entries({ CONTEXT_MATCH: strict, CONTEXT_MATCH_WIDE: wide })) {
  console.log(
    `${name.padEnd(18)} nDCG@${DEPTH} ${inUse.toFixed(4)} with the weights in use,`,
    `${heldOut.toFixed(4)} on folds left out by the best of ${changes.length}; grid ${spread}`,
  )
}
console.log('\nas typed, queries: every word, some word')
reload()
for (const [name, vary] of Object.entries(variants)) {
  const typed = queries.flatMap((query) => {
    const text = vary(query)
    return text === null ? [] : [{ query, text }]
  })
  const values = [1, 0].map((share) => mean(typed.map(({ query, text }) => valueAs(query, text, share))))
  console.log(name.padEnd(20), String(typed.length).padStart(3), ...values.map((value) => value.toFixed(3)))
}
searcher.close()
writer.close()
rmSync(folder, { recursive: true })

function crossValidate(minShare: number) {
  const grid = changes.map(({ field, times }) => {
    const weights = fieldWeights[field] as { weight: number }
    const before = weights.weight
    weights.weight = before * times
    reload()
    const values = queries.map((query) => valueAs(query, query, minShare))
    weights.weight = before
    return values
  })
  const inUse = grid[0]!
  const heldOut = queries.map((_, at) => {
    const others = queries.flatMap((_, other) => (other % FOLDS === at % FOLDS ? [] : [other]))
    const best = grid.reduce((a, b) => (meanOf(b, others) > meanOf(a, others) ? b : a))
    return best[at]!
  })
  const means = grid.map(mean)
  const spread = `${Math.min(...means).toFixed(4)} to ${Math.max(...means).toFixed(4)}`
  return { inUse: mean(inUse), heldOut: mean(heldOut), spread }
}

/** Reads the posting lists again: weights are applied as they are read. */
function reload(): void {
  searcher.refresh({ ...touched, tokens: null })
}

function valueAs(query: string, text: string, minShare: number): number {
  const { campaigns, ...asked } = searchOf(text, minShare)
  const { rowids, hits } = searcher.search({ ...asked }, searcher.campaignSet(campaigns))
  const ids = searcher.load([...rowids.subarray(0, hits)])
  const offerIds = new Map(ids.map(({ rowid, offer }) => [rowid, (JSON.parse(offer) as { id: string }).id]))
  return ndcg(
    judged.get(query)!,
    [...rowids.subarray(0, hits)].map((rowid) => offerIds.get(rowid)!),
  )
}

function meanOf(values: readonly number[], at: readonly number[]): number {
  return mean(at.map((each) => values[each]!))
}
