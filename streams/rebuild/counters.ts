import { createHash } from 'node:crypto'
import type { EventLog } from '../../infra/event-log/port.ts'
import { decode } from '../../schemas/wire/codec.ts'
import { dayIn, spendKey, viewsKey } from '../../services/domain/money/counter-keys.ts'
import { createJudge, type JudgeDeps } from '../judge/judge.ts'
import { rebuildCounters } from '../judge/recount.ts'
import { readPages } from '../runtime/pages.ts'
import { runToEnd } from '../runtime/run-to-end.ts'
import { type Fingerprint, type TableProof, tableProof } from './table-proof.ts'

/** Empties the counters, counts again what the judge has written and compares. Only while no judge runs. */
export async function proveCounters(deps: JudgeDeps): Promise<TableProof> {
  await runToEnd(createJudge(deps))
  const before = await fingerprint(deps)
  await rebuildCounters(deps)
  return tableProof('counters', before, await fingerprint(deps))
}

/** Of every counter that a judged event names, in the order of the events. */
async function fingerprint({ log, counters, snapshot }: JudgeDeps): Promise<Fingerprint> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const records of judgedEvents(log)) {
    const keys = new Set<string>()
    for (const value of records) {
      const { claims, cid, uid, occurredAt } = decode('JudgedEvent', value)
      const timeZone = snapshot.getEver('Shop', claims.shopId)?.body.timeZone ?? 'UTC'
      const day = dayIn(timeZone, occurredAt)
      keys.add(spendKey(claims.campaignId)).add(viewsKey('cid', claims, day, cid))
      if (uid) keys.add(viewsKey('uid', claims, day, uid))
    }
    const named = [...keys]
    hash.update(JSON.stringify([named, await counters.read(named)]))
    rows += named.length
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
