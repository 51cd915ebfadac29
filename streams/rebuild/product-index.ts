import { checkpointEnd } from '../../services/replicas/registry-checkpoint.ts'
import { createIndexer, INDEXER_GROUP, type IndexerDeps } from '../indexer/indexer.ts'
import { runToEnd } from '../runtime/run-to-end.ts'
import { fingerprintOf } from './index-compare.ts'
import { type TableProof, tableProof } from './table-proof.ts'

/**
 * Empties the product index, fills it again from the log, and compares. Call it only while no indexer runs. The registry is read only
 * from its checkpoint on: each offer gets its campaigns from the snapshot, which has begun at that checkpoint.
 */
export async function rebuildIndex(deps: IndexerDeps): Promise<TableProof> {
  const { log, index } = deps
  const catchUp = async () => {
    await runToEnd(createIndexer(deps))
    await index.refresh()
  }
  // No indexer can catch up while the index is lost, so an empty one is made first.
  if (index.builds && !(await index.builds.look()).serving) await index.clear()
  await catchUp()
  const before = await fingerprintOf(index)
  // In this order: an indexer that finds an empty index must not take it for a full one.
  await forgetIndex(log)
  await index.clear()
  await catchUp()
  return tableProof('product index', before, await fingerprintOf(index))
}

/** Resets the indexer's group, so that an indexer fills an empty index. Call it only while no indexer runs. */
export async function forgetIndex(log: IndexerDeps['log']): Promise<void> {
  await log.reset(INDEXER_GROUP, null)
  const offset = await checkpointEnd(log)
  if (offset !== null) await log.reset(INDEXER_GROUP, [{ topic: 'registry', partition: 0, offset, metadata: '' }])
}
