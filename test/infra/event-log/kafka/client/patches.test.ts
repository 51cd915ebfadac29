import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import Connection from 'kafkajs/src/network/connection.js'
import createSocketFactory from 'kafkajs/src/network/socketFactory.js'
import { expect, test } from 'vitest'
import { patchKafkajs } from '../../../../../infra/event-log/kafka/client/patches.ts'
import { waitFor } from '../../../../wait-for.ts'

const CORRELATION_ID = 7
/** An answer: its size, a correlation id, and four bytes. */
const ANSWER = Buffer.from([0, 0, 0, 8, 0, 0, 0, CORRELATION_ID, 1, 2, 3, 4])
/** Without `requestTimeout` kafkajs checks for late requests every millisecond. */
const TIMEOUTS = { connectionTimeout: 5_000, requestTimeout: 5_000 }
const silent = { namespace: () => silent, info() {}, warn() {}, error() {}, debug() {} }

test('a response cut off by a broken connection does not garble the responses after the reconnect', async () => {
  let connections = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (++connections === 1) socket.write(ANSWER.subarray(0, 6), () => socket.end())
    else socket.write(ANSWER)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  patchKafkajs()
  const { port } = server.address() as AddressInfo
  const logger = silent
  const socketFactory = createSocketFactory()
  const connection = new Connection({ host: '127.0.0.1', port, logger, socketFactory, ...TIMEOUTS })
  const answers: number[] = []
  connection.requestQueue.fulfillRequest = ({ correlationId }) => void answers.push(correlationId)

  await connection.connect()
  await waitFor(() => !connection.isConnected())
  await connection.connect()
  await waitFor(() => answers.length > 0)
  expect(answers).toEqual([CORRELATION_ID])
  await connection.disconnect()
  server.close()
})

test('a connection that is closed again and again adds no listener to its socket', async () => {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  patchKafkajs()
  const { port } = server.address() as AddressInfo
  const create = createSocketFactory()
  const sockets: Socket[] = []
  const socketFactory: typeof create = (options) => {
    const socket = create(options)
    sockets.push(socket)
    return socket
  }
  const connection = new Connection({
    host: '127.0.0.1',
    port,
    logger: silent,
    socketFactory,
    ...TIMEOUTS,
  })
  await connection.connect()
  await waitFor(() => sockets[0]!.destroyed)
  const before = sockets[0]!.listenerCount('connect')
  for (let time = 0; time < 20; time++) await connection.disconnect()
  expect(sockets[0]!.listenerCount('connect')).toBe(before)
  server.close()
})
