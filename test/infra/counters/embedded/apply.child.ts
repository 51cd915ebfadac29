import { openEmbeddedCounters } from '../../../../infra/counters/embedded/counters.ts'

/** Raises two counters and their sum, step after step from where it stands, and tells the parent what is applied. */
const STEPS_PER_CALL = 100
const counters = await openEmbeddedCounters({ folder: process.argv[2]! })
const [spend] = await counters.read(['spend'])
for (let offset = spend!; ; offset += STEPS_PER_CALL) {
  const steps = Array.from({ length: STEPS_PER_CALL }, (_, i) => ({
    source: 's',
    offset: offset + i,
    once: { key: `once ${offset + i}`, expiresAt: 1_000 },
    limits: ['spend', i % 3 === 0 ? 'left' : 'right'].map((key) => ({
      name: key,
      key,
      add: 1,
      max: null,
      expiresAt: null,
    })),
    now: 1,
  }))
  await counters.apply(steps)
  process.send!(offset + STEPS_PER_CALL - 1)
}
