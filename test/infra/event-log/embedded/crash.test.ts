import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../../infra/event-log/embedded/event-log.ts'
import type { EventLog, LogRecord } from '../../../../infra/event-log/port.ts'
import type { TopicName } from '../../../../schemas/topics.ts'
import { tries } from '../../../effort.ts'

const ROUNDS = tries(8, 32)
const CHILD = fileURLToPath(new URL('./crash.child.ts', import.meta.url))

interface Acknowledged {
  /** The acknowledged values, by `partition/offset`. */
  appends: Map<string, string>
  /** The greatest committed offset of each partition. */
  commits: Map<number, number>
}

/** Runs the child for a while after its first acknowledgement, kills it, and adds what it printed to `known`. */
async function runAndKill(folder: string, round: number, lifeMs: number, known: Acknowledged): Promise<void> {
  const child = spawn(process.execPath, ['--no-warnings', CHILD, folder, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child.stdout, 'data')
  await delay(lifeMs)
  child.kill('SIGKILL')
  await once(child, 'close')
  // The last line may have been cut by the kill.
  for (const line of Buffer.concat(chunks).toString().split('\n').slice(0, -1)) {
    const [what, partition, offset, value] = line.split(' ')
    if (what === 'append') known.appends.set(`${partition}/${offset}`, value!)
    else known.commits.set(Number(partition), Number(offset))
  }
}

async function readAll(log: EventLog, topic: TopicName): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  const tail = await log.tail(topic, (some) => void records.push(...some))
  await tail.close()
  return records
}

const text = (record: LogRecord) => record.value!.toString()

it('the log holds everything that it acknowledged, and complete commits only, however often it is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'event-log-crash-'))
  const known: Acknowledged = { appends: new Map(), commits: new Map() }
  for (let round = 0; round < ROUNDS; round++) {
    await runAndKill(folder, round, Math.random() * 120, known)

    const log = await openEmbeddedEventLog({ folder })
    const stored = await readAll(log, 'page-views')
    const byPosition = new Map(stored.map((each) => [`${each.partition}/${each.offset}`, text(each)]))
    const lost = [...known.appends].filter(([position, value]) => byPosition.get(position) !== value)
    expect(lost).toEqual([])
    expect(new Set(stored.map(text)).size).toBe(stored.length)

    const committed = new Map((await log.committed('copier')).map((each) => [each.partition, each.offset]))
    for (const [partition, offset] of known.commits) expect(committed.get(partition)).toBeGreaterThanOrEqual(offset)
    const due = stored.filter((each) => each.offset < (committed.get(each.partition) ?? 0)).map(text)
    const copied = (await readAll(log, 'transactions')).map(text)
    expect(copied.toSorted()).toEqual(due.toSorted())
    await log.close()
  }
  expect(known.appends.size).toBeGreaterThan(ROUNDS)
  expect(known.commits.size).toBeGreaterThan(0)
  await rm(folder, { recursive: true })
})
