/**
 * Freezes a sink under load, at each of its awaits in turn and at random moments, lets another one take over, and wakes it. Does so
 * again and again, with every core kept busy by other work, on the engines of `make engines-start`. Prints a line for each time,
 * and exits with 1 when a record was stored twice or not at all.
 *
 *     node test/engines/faults/takeover.ts [times]
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import {
  freezesOfRecovery,
  freezesOfStore,
  leaveInDoubt,
  openSinks,
  type SinkProcess,
  type Sinks,
  takeOverAndWake,
} from './sinks.ts'

const TIMES = 50
const BUSY = 'for (;;) Math.sqrt(Math.random())'
const ANY_MOMENT = 'at any moment'
const RUNS_FOR_MAX_MS = 3_000

/** Resolves with the sink that was frozen, which goes on running. */
type Turn = { name: string; run: (sinks: Sinks) => Promise<SinkProcess> }

const aimed = (freezes: typeof freezesOfStore, prepare: (sinks: Sinks) => Promise<void>): Turn[] =>
  freezes.map(([name, woken]) => ({
    name,
    async run(sinks) {
      await prepare(sinks)
      const frozen = sinks.start(name)
      await takeOverAndWake(sinks, { frozen, woken })
      return frozen
    },
  }))

const unaimed: Turn = {
  name: ANY_MOMENT,
  async run(sinks) {
    const frozen = sinks.start()
    await sinks.untilAllStored()
    await delay(Math.random() * RUNS_FOR_MAX_MS)
    frozen.process.kill('SIGSTOP')
    await takeOverAndWake(sinks, { frozen, woken: /^/ })
    return frozen
  },
}

/** Alternates between each await in turn and a random moment. */
const turns = [...aimed(freezesOfStore, async () => {}), ...aimed(freezesOfRecovery, leaveInDoubt)].flatMap((turn) => [
  turn,
  unaimed,
])

const times = Number(process.argv[2] ?? TIMES)
const busy: ChildProcess[] = Array.from({ length: availableParallelism() }, () =>
  spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' }),
)
const sinks = await openSinks()
let before = await sinks.count()
try {
  for (let time = 1; time <= times; time++) {
    const { name, run } = turns[(time - 1) % turns.length]!
    // The sink that was frozen goes on, and is the one that takes over next time.
    await sinks.end(await run(sinks))
    const after = await sinks.count()
    const stored = after.stored - before.stored
    process.stdout.write(
      `${time}/${times} frozen ${name}: ${stored} records stored, ${after.rows - before.rows - stored} twice\n`,
    )
    before = after
  }
  await sinks.stopLoad()
  await sinks.untilAllStored()
  const { appended, stored, rows } = await sinks.count()
  process.stdout.write(`${appended} records, ${appended - stored} missing, ${rows - stored} twice\n`)
  process.exitCode = rows === stored && appended === stored ? 0 : 1
} finally {
  for (const each of busy) each.kill()
  await sinks.remove()
}
