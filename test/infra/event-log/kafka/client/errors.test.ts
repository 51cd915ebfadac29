import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import kafkajs from 'kafkajs'
import errors from 'kafkajs/src/protocol/error.js'
import { describe, expect, it } from 'vitest'
import {
  codeOf,
  isExpelled,
  isFenced,
  isRebalancing,
  remedyFor,
  rootOf,
} from '../../../../../infra/event-log/kafka/client/errors.ts'
import { meaningOf } from '../../../../../infra/event-log/kafka/client/refusals.ts'

/** This class is missing from kafkajs' types. */
const { KafkaJSConnectionClosedError } = kafkajs as unknown as Record<string, typeof kafkajs.KafkaJSConnectionError>

/** Errors by their code in the protocol: https://kafka.apache.org/protocol#protocol_error_codes */
const error = (code: number) => errors.createErrorFromCode(code)
const named = (name: string, cause?: Error) => Object.assign(new Error(name, { cause }), { name })

describe('remedies', () => {
  it.each([
    ['GROUP_LOAD_IN_PROGRESS', 14, 'RETRY'],
    ['NOT_ENOUGH_REPLICAS', 19, 'RETRY'],
    ['CONCURRENT_TRANSACTIONS', 51, 'RETRY'],
    ['UNKNOWN_TOPIC_OR_PARTITION', 3, 'REFRESH'],
    ['NOT_LEADER_FOR_PARTITION', 6, 'REFRESH'],
    ['GROUP_COORDINATOR_NOT_AVAILABLE', 15, 'REFRESH'],
    ['NOT_COORDINATOR_FOR_GROUP', 16, 'REFRESH'],
    ['MESSAGE_TOO_LARGE', 10, 'NONE'],
    ['UNKNOWN_MEMBER_ID', 25, 'NONE'],
    ['TOPIC_AUTHORIZATION_FAILED', 29, 'NONE'],
    ['INVALID_PRODUCER_EPOCH', 47, 'NONE'],
  ])('the error %s has its remedy', (name, code, remedy) => {
    expect(codeOf(error(code))).toBe(name)
    expect(remedyFor(error(code))).toBe(remedy)
  })

  it('a broken connection is retried with new metadata', () => {
    expect(remedyFor(new kafkajs.KafkaJSConnectionError('refused'))).toBe('REFRESH')
    expect(remedyFor(new KafkaJSConnectionClosedError!('closed', {}))).toBe('REFRESH')
    expect(remedyFor(named('KafkaJSGroupCoordinatorNotFound'))).toBe('REFRESH')
    expect(remedyFor(new TypeError('ours'))).toBe('NONE')
  })

  it('a server that accepts connections and says nothing is asked again', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const { NOTHING } = kafkajs.logLevel
    const brokers = [`127.0.0.1:${port}`]
    const admin = new kafkajs.Kafka({ brokers, requestTimeout: 10, retry: { retries: 2 }, logLevel: NOTHING }).admin()
    try {
      const error = await admin.listTopics().catch((error: Error) => error)
      expect(remedyFor(error)).toBe('REFRESH')
      expect(meaningOf(rootOf(error))).toMatch(/does not answer as Kafka does: check KAFKA_BROKERS/)
    } finally {
      await admin.disconnect()
      for (const socket of sockets) socket.destroy()
      silent.close()
    }
  })

  it('names the settings of a sign-in that no listener asks for, and of a server that closes connections', () => {
    expect(meaningOf(error(34))).toMatch(/check the port in KAFKA_BROKERS and whether KAFKA_USERNAME belongs there$/)
    expect(meaningOf(named('KafkaJSConnectionClosedError'))).toMatch(/check KAFKA_TLS and KAFKA_BROKERS$/)
  })

  it('an error of Kafka is found within the errors that kafkajs wraps it in', () => {
    const wrapped = named('KafkaJSNumberOfRetriesExceeded', named('KafkaJSNonRetriableError', error(6)))
    expect(rootOf(wrapped)).toMatchObject({ type: 'NOT_LEADER_FOR_PARTITION' })
    expect(remedyFor(wrapped)).toBe('REFRESH')
  })

  it('an error tells a fenced producer from an expelled member and a rebalancing group', () => {
    expect([47, 49, 52].map((code) => isFenced(error(code)))).toEqual([true, true, true])
    expect([25, 82].map((code) => isExpelled(error(code)))).toEqual([true, true])
    expect([22, 27].map((code) => isRebalancing(error(code)))).toEqual([true, true])
    expect(isFenced(error(25)) || isExpelled(error(27)) || isRebalancing(error(47))).toBe(false)
  })
})
