import { openEmbeddedCounters } from '../../../../infra/counters/embedded/counters.ts'
import { changeOf, SHARD, SHARDS, SOURCE, seenOf, spendOf, viewsOf } from '../../../ports/counters.fixtures.ts'

/** Stores one batch after the other from the source's position on, and tells the parent each stored position. */
const BATCH = 100
const counters = await openEmbeddedCounters({ folder: process.argv[2]!, shards: SHARDS })
const [position] = await counters.positions([{ shard: SHARD, source: SOURCE }])
for (let after = position!; ; after += BATCH) {
  const offsets = Array.from({ length: BATCH }, (_, i) => after + 1 + i)
  await counters.store(
    changeOf({
      after,
      upTo: after + BATCH,
      note: `${after}`,
      add: [
        ...offsets.map((offset) => ({ key: viewsOf(`${offset}`), amount: 1 })),
        { key: spendOf('all'), amount: BATCH },
      ],
      seen: offsets.map((offset) => seenOf(`${offset}`)),
    }),
  )
  process.send!(after + BATCH)
}
