import { setTimeout as delay } from 'node:timers/promises'
import type { ProductIndex } from '../../infra/product-index/port.ts'
import { compareIndices } from './index-compare.ts'
import type { TableProof } from './table-proof.ts'

const LOOK_MS = 500
const UNATTENDED_MS = 10_000

export interface IndexBesideDeps {
  /** An index with `builds`. An indexer must run, here or in another process. */
  index: ProductIndex
  /** Whether the new index serves even when it differs from the old one. */
  replaces: boolean
  say: (line: string) => void
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * Has a new product index filled from the log next to the one that serves, compares the two, and lets the new one serve when they are
 * equal. After a crash, the next call goes on with the index that was begun.
 */
export async function rebuildIndexBeside({ index, replaces, say, now }: IndexBesideDeps): Promise<TableProof | null> {
  const builds = index.builds!
  const { serving, build: begun } = await builds.look()
  say(
    begun || !serving
      ? 'A new product index is already being filled: waiting for it.'
      : 'A new product index is filled next to the one in use.',
  )
  if (!begun && serving) await builds.begin()
  await filled({ index, say, now })
  const { serving: serves, build } = await builds.look()
  if (!serving) {
    say('There was no product index before. The new one is now in use.')
    return null
  }
  if (!serves || !build) throw new Error('The new product index has been dropped by another process')
  say('The new product index is complete. Every offer is compared, with its campaigns and signals.')
  const { proof, differences } = await compareIndices(index, build.index)
  for (const { shopId, offers } of differences.slice(0, 20)) say(`Shop ${shopId} differs: ${offers.join(', ')}`)
  if (proof.equal || replaces) {
    await build.serve()
    say('The new product index is in use; the one before is removed.')
  } else {
    await build.drop()
    say(
      'The new product index differs from the one before, and is dropped. The one before stays in use. With REPLACE=yes the ' +
        'new one is used nevertheless.',
    )
  }
  return proof
}

/** Waits until the new index is complete. If it is filled because none serves, waits until it serves. */
async function filled({ index, say, now }: Pick<IndexBesideDeps, 'index' | 'say' | 'now'>): Promise<void> {
  let told = ''
  let toldAt = now()
  for (;;) {
    const { serving, build } = await index.builds!.look()
    if (build === null || (build.fill.complete && serving)) return
    const { by, records, of } = build.fill
    const percent = of === 0 ? 100 : Math.floor((100 * records) / of)
    const state =
      by === null ? 'No process fills it yet: start one with the role streams.' : `${percent} % of ${of} records`
    const waits = by === null ? UNATTENDED_MS : 2 * LOOK_MS
    if (state !== told && now() - toldAt >= waits) {
      say(state)
      told = state
      toldAt = now()
    }
    await delay(LOOK_MS)
  }
}
