import { expect, it } from 'vitest'
import { Revoked } from '../../../../infra/event-log/port.ts'
import type { StreamStep } from '../../../../streams/runtime/pipeline/pipeline.ts'
import { withChangedConsumers } from '../../../changed-consumers.ts'
import { copiersWorld, copy, ids, messages, view } from '../copier.ts'

const { world, start, readOnceThere } = copiersWorld()

/** Appends as many records as three batches have, all of one partition. */
const appendOfOne = () => world.log.append(ids(21).map((id) => ({ ...view(id), key: 'one' })))

it('a step that begins early prepares its batch while the one before it is stored, and has its turn once that is committed', async () => {
  await appendOfOne()
  const secondBegun = Promise.withResolvers<void>()
  const told: string[] = []
  let begun = 0
  const early: StreamStep = async (batch) => {
    if (++begun === 2) secondBegun.resolve()
    told.push(`turn at ${await batch.turn()}`)
    return copy(batch)
  }
  const waiting = withChangedConsumers(world.log, (consumer) => ({
    async commit(...commit) {
      await secondBegun.promise
      await consumer.commit(...commit)
      told.push(`committed ${commit[1].offset}`)
    },
  }))
  start(early, { log: waiting, beginsEarly: true })
  expect(messages(await readOnceThere('feed-issues', 21))).toEqual(ids(21))
  expect(told.slice(0, 5)).toEqual(['turn at null', 'committed 7', 'turn at 7', 'committed 14', 'turn at 14'])
})

it.each([true, false])(
  'a batch is read again with a failed one before it, when steps begin early: %s',
  async (beginsEarly) => {
    await appendOfOne()
    let failures = 0
    const failing: StreamStep = async (batch) => {
      if ((await batch.turn()) === 7 && failures++ < 2) throw new Error('once more')
      return copy(batch)
    }
    const stream = start(failing, { beginsEarly })
    expect(messages(await readOnceThere('feed-issues', 21))).toEqual(ids(21))
    await stream.stop()
    expect(stream.state()).toMatchObject({ records: 21, batches: 3 })
  },
)

it('nothing of a partition is worked on once another member has it', async () => {
  await appendOfOne()
  const turns: (number | null)[] = []
  let given = 0
  const early: StreamStep = async (batch) => {
    turns.push(await batch.turn())
    return copy(batch)
  }
  const taken = withChangedConsumers(world.log, (consumer) => ({
    async commit(...commit) {
      if (given++ === 0) throw new Revoked('another member has it')
      await consumer.commit(...commit)
    },
  }))
  const first = start(early, { log: taken, beginsEarly: true })
  await new Promise((resolve) => setTimeout(resolve, 100))
  await first.stop()
  expect(turns).toEqual([null])
  start(early, { beginsEarly: true })
  expect(messages(await readOnceThere('feed-issues', 21))).toEqual(ids(21))
})
