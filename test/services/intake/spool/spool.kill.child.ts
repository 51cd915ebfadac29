import { existsSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { openEmbeddedEventLog } from '../../../../infra/event-log/embedded/event-log.ts'
import { LogUnavailable, type NewRecord } from '../../../../infra/event-log/port.ts'
import { openSpool } from '../../../../services/intake/spool/spool.ts'
import { createSpooledLog } from '../../../../services/intake/spool/spooled-log.ts'

/** Appends numbered records with a few keys until it is killed. The log is away while the file `away` exists. */
const [folder, from] = process.argv.slice(2) as [string, string]
const KEYS = 4
const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
const sometimesAway = {
  append: async (records: readonly NewRecord[]) => {
    if (existsSync(join(folder, 'away'))) throw new LogUnavailable('away')
    return log.append(records)
  },
}
const spool = await openSpool({ folder: join(folder, 'spool') })
const spooled = createSpooledLog({ log: sometimesAway, spool, now: Date.now, onError() {}, openMs: 10 })

async function client(key: number): Promise<void> {
  for (let i = Number(from); ; i++) {
    await spooled.append([{ topic: 'page-views', key: `k${key}`, value: Buffer.from(`${key}/${i}`) }])
    process.send!(`${key}/${i}`)
  }
}
// A killed process writes no compiled code at its end, and the next one would compile all of it again.
flushCompileCache()
process.send!('ready')
await Promise.all(Array.from({ length: KEYS }, (_, key) => client(key)))
