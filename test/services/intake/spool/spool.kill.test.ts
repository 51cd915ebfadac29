import { fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { openEmbeddedEventLog } from '../../../../infra/event-log/embedded/event-log.ts'
import { openSpool } from '../../../../services/intake/spool/spool.ts'
import { createSpooledLog } from '../../../../services/intake/spool/spooled-log.ts'

const ROUNDS = 8
const PER_ROUND = 1_000_000
const folder = mkdtempSync(join(tmpdir(), 'spool-kill-'))
mkdirSync(join(folder, 'log'))
afterAll(() => rmSync(folder, { recursive: true }))

test('killed while it spools and while it drains, it loses nothing that it took, and keeps the order of each key', async () => {
  const acknowledged: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const child = fork(new URL('./spool.kill.child.ts', import.meta.url), [folder, String(round * PER_ROUND)])
    await once(child, 'message')
    child.on('message', (name: string) => acknowledged.push(name))
    // The log goes away and comes back, and the process is killed at a random moment.
    for (let turn = 0; turn < 3; turn++) {
      writeFileSync(join(folder, 'away'), '')
      await delay(randomInt(5, 60))
      rmSync(join(folder, 'away'))
      await delay(randomInt(1, 40))
    }
    if (round % 2 === 0) writeFileSync(join(folder, 'away'), '')
    await delay(randomInt(1, 30))
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(join(folder, 'away'), { force: true })
  }

  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  const spooled = createSpooledLog({
    log,
    spool: await openSpool({ folder: join(folder, 'spool') }),
    now: Date.now,
    onError() {},
  })
  while (spooled.waiting().records > 0) await delay(5)
  await spooled.close()

  const stored: string[] = []
  for (const { partition, start, end } of await log.bounds('page-views')) {
    for (let from = start; from < end; ) {
      const records = await log.read('page-views', partition, from, 10_000)
      stored.push(...records.map(({ value }) => value!.toString()))
      from = records.at(-1)!.offset + 1
    }
  }
  await log.close()
  expect(acknowledged.length).toBeGreaterThan(ROUNDS * 10)
  const known = new Set(stored)
  expect(acknowledged.filter((name) => !known.has(name))).toEqual([])
  for (const key of [0, 1, 2, 3]) {
    const numbers = [...known].filter((name) => name.startsWith(`${key}/`)).map((name) => Number(name.split('/')[1]))
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  }
  // Only a batch that was drained but not yet recorded as drained when the process died is stored twice.
  expect(stored.length - known.size).toBeLessThanOrEqual(ROUNDS * 5_000)
})
