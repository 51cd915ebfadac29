import { createHash } from 'node:crypto'
import type { CounterKey } from '../../infra/counters/port.ts'
import { shardOf } from '../../infra/counters/shards.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import { decode } from '../../schemas/wire/codec.ts'
import { isPseudonym } from '../../services/domain/erasure/erasures.ts'
import { dayIn, spendKey, viewsKey } from '../../services/domain/money/counter-keys.ts'
import { createCountersRepair } from '../judge/counters-repair.ts'
import { createJudge, type JudgeDeps } from '../judge/judge.ts'
import { rebuildCounters } from '../judge/recount.ts'
import { readPages } from '../runtime/pages.ts'
import { runToEnd } from '../runtime/run-to-end.ts'
import { type Fingerprint, type TableProof, tableProof } from './table-proof.ts'

/** Empties the counters, counts again what the judge has written, and compares. Call it only while no judge runs. */
export async function proveCounters(deps: JudgeDeps): Promise<TableProof> {
  await runToEnd(createJudge(deps))
  await createCountersRepair(deps)()
  const before = await fingerprint(deps)
  await rebuildCounters(deps)
  return tableProof('counters', before, await fingerprint(deps))
}

/**
 * The fingerprint of every counter that a judged event names, in the order of the events. Views of erased people are left out: from
 * the next recount on they are counted under the pseudonym, and nobody is shown an ad under a pseudonym.
 */
async function fingerprint({ log, counters, snapshot }: JudgeDeps): Promise<Fingerprint> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const values of judgedEvents(log)) {
    const keys = new Map<string, CounterKey>()
    for (const value of values) {
      const { claims, cid, uid, occurredAt } = decode('JudgedEvent', value)
      const timeZone = snapshot.getEver('Shop', claims.shopId)?.body.timeZone ?? 'UTC'
      const day = dayIn(timeZone, occurredAt)
      const shard = shardOf(claims.campaignId, counters.shards)
      const named: CounterKey[] = [spendKey(shard, claims.campaignId)]
      if (!isPseudonym(cid)) named.push(viewsKey(shard, 'cid', claims, day, cid))
      if (uid && !isPseudonym(uid)) named.push(viewsKey(shard, 'uid', claims, day, uid))
      for (const key of named) keys.set(`${key.group.name}/${key.id}`, key)
    }
    hash.update(JSON.stringify([[...keys.keys()], await counters.read([...keys.values()])]))
    rows += keys.size
  }
  return { rows, hash: hash.digest('hex').slice(0, 16) }
}

async function* judgedEvents(log: EventLog): AsyncGenerator<Buffer[]> {
  for (const { partition, start, end } of await log.bounds('judged-events')) {
    for await (const records of readPages(log, 'judged-events', partition, { from: start, to: end })) {
      yield records.flatMap(({ value }) => value ?? [])
    }
  }
}
