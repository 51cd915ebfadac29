import { createHash } from 'node:crypto'
import type { ProductIndex } from '../../infra/product-index/port.ts'
import { checkpointEnd } from '../../services/replicas/registry-checkpoint.ts'
import { createIndexer, INDEXER_GROUP, type IndexerDeps } from '../indexer/indexer.ts'
import { runToEnd } from '../runtime/run-to-end.ts'
import { type Fingerprint, type TableProof, tableProof } from './table-proof.ts'

const SCAN_PAGE = 1_000

/**
 * Empties the product index, fills it again from the log and compares. Only while no indexer runs. Of the registry only what
 * came since its checkpoint is read: each offer gets its campaigns from the snapshot, which has begun there.
 */
export async function rebuildIndex(deps: IndexerDeps): Promise<TableProof> {
  const { log, index } = deps
  const catchUp = async () => {
    await runToEnd(createIndexer(deps))
    await index.refresh()
  }
  // A lost index would let no indexer catch up.
  if (index.builds && !(await index.builds.look()).serving) await index.clear()
  await catchUp()
  const before = await fingerprint(deps)
  await index.clear()
  await forgetIndex(log)
  await catchUp()
  return tableProof('product index', before, await fingerprint(deps))
}

/** Lets an indexer fill an empty index. Only while none runs. */
export async function forgetIndex(log: IndexerDeps['log']): Promise<void> {
  await log.reset(INDEXER_GROUP, null)
  const offset = await checkpointEnd(log)
  if (offset !== null) await log.reset(INDEXER_GROUP, [{ topic: 'registry', partition: 0, offset, metadata: '' }])
}

/** Of every offer of every shop with its campaigns and signals, in the order of their keys. */
async function fingerprint({ index, snapshot }: Pick<IndexerDeps, 'index' | 'snapshot'>): Promise<Fingerprint> {
  const hash = createHash('sha256')
  let rows = 0
  for (const { id: shopId } of [...snapshot.allEver('Shop')]) {
    for (let after: string | null = null; ; ) {
      const page: Awaited<ReturnType<ProductIndex['scan']>> = await index.scan({
        shopId,
        filters: [],
        after,
        limit: SCAN_PAGE,
      })
      for (const { offer, campaignIds, signals } of page) {
        hash.update(JSON.stringify([offer, campaignIds.toSorted(), signals]))
      }
      rows += page.length
      const last = page.at(-1)
      if (!last) break
      after = `${last.offer.feedId}/${last.offer.id}`
    }
  }
  return { rows, hash: hash.digest('hex').slice(0, 16) }
}
