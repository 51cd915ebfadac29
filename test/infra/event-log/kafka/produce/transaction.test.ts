import { expect, it } from 'vitest'
import type { BrokerClient } from '../../../../../infra/event-log/kafka/client/broker-client.ts'
import type { ProducedPartition } from '../../../../../infra/event-log/kafka/client/protocol/requests.ts'
import { namesIn } from '../../../../../infra/event-log/kafka/names.ts'
import { openTransactionalWriter } from '../../../../../infra/event-log/kafka/produce/transaction.ts'
import { LogUnavailable } from '../../../../../infra/event-log/port.ts'

/** A coordinator that knows the epoch of one transactional id. `isSlow` says that answers to renewals come too late. */
function fakeCoordinator() {
  const state = { epoch: 0, isSlow: false }

  function accept(epoch: number): void {
    if (epoch !== state.epoch) throw Object.assign(new Error('An old epoch'), { type: 'INVALID_PRODUCER_EPOCH' })
  }

  const client = {
    async request(_target: unknown, api: string, options: { producerEpoch: number }) {
      if (api === 'initProducerId') return { producerId: '7', producerEpoch: state.epoch }
      accept(options.producerEpoch)
      return {}
    },
    async send(_target: unknown, { request: { apiName } }: { request: { apiName: string } }) {
      if (apiName === 'Produce') {
        const stored: ProducedPartition = { topic: 'shop.registry', partition: 0, error: null, baseOffset: 5 }
        return [stored]
      }
      state.epoch++
      if (state.isSlow) throw new LogUnavailable('Kafka is not available: it has not answered in time')
      return { producerId: 7n, producerEpoch: state.epoch }
    },
    leaders: async () => new Map([[0, 1]]),
  }
  return { state, client: client as unknown as BrokerClient }
}

it('a writer whose keep-alive was answered too late goes on, as the last of its name', async () => {
  const { state, client } = fakeCoordinator()
  const deadline = performance.now() + 60_000
  const options = { client, names: namesIn('shop'), codec: 'none', now: () => 1 } as const
  const writer = await openTransactionalWriter(options, 'shop.writer.registry', deadline)
  state.isSlow = true
  await expect(writer.keepAlive(deadline)).rejects.toThrow(LogUnavailable)
  state.isSlow = false
  const record = { topic: 'registry', key: 'a', value: Buffer.from('b') } as const
  expect(await writer.transact([record], null, deadline)).toEqual([{ topic: 'registry', partition: 0, offset: 5 }])
})
