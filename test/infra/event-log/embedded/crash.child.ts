import { openEmbeddedEventLog } from '../../../../infra/event-log/embedded/event-log.ts'
import type { Position } from '../../../../infra/event-log/port.ts'

/**
 * Appends page views from several concurrent callers and copies each view into `transactions` by commits with outputs, until it is
 * killed. Prints each acknowledgement: `append partition offset value` and `commit partition offset`.
 */
const [folder, round] = process.argv.slice(2)
const log = await openEmbeddedEventLog({ folder: folder!, housekeepingMs: 5 })

async function appendForEver(caller: number): Promise<never> {
  for (let call = 0; ; call++) {
    const values = Array.from({ length: 1 + ((call * 7) % 40) }, (_, n) => `${round}-${caller}-${call}-${n}`)
    const positions = await log.append(
      values.map((value) => ({ topic: 'page-views', key: value, value: Buffer.from(value) }) as const),
    )
    print(positions.map((at: Position, n) => `append ${at.partition} ${at.offset} ${values[n]}`))
  }
}

async function copyForEver(): Promise<never> {
  const consumer = await log.consumer({ group: 'copier', topics: ['page-views'] })
  for (;;) {
    const batch = await consumer.poll({ maxRecords: 50, maxWaitMs: 100 })
    if (!batch) continue
    const { partition, assignment, records } = batch
    const outputs = records.map(({ key, value }) => ({ topic: 'transactions', key, value }) as const)
    const offset = records.at(-1)!.offset + 1
    await consumer.commit(assignment, { offset, metadata: `${round}` }, outputs)
    print([`commit ${partition} ${offset}`])
  }
}

/** Writes to a pipe are synchronous, so an acknowledgement is known even if the process is killed at the next instruction. */
function print(lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

await Promise.all([appendForEver(0), appendForEver(1), appendForEver(2), copyForEver()])
