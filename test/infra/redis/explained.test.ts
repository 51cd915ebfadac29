import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openRedisConnection } from '../../../infra/redis/connection.ts'

class RedisAway extends Error {}

const servers: Server[] = []
afterEach(() => servers.splice(0).map((server) => server.close()))

async function portOf(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A port where nobody listens. */
async function closedPort(): Promise<number> {
  const port = await portOf(() => {})
  await new Promise((resolve) => servers.pop()!.close(resolve))
  return port
}

async function reasonOf(url: string): Promise<string> {
  const connection = openRedisConnection({ url, scripts: {}, Unavailable: RedisAway })
  const failing = connection.run((client) => client.ping())
  await expect(failing).rejects.toThrow(RedisAway)
  return failing.catch(({ message }) => message).finally(() => connection.close())
}

it.each([
  ['redis+cluster', ''],
  ['redis+sentinel', '/main'],
])('names the servers of %s that cannot be reached, and why', async (scheme, path) => {
  const [one, two] = [await closedPort(), await closedPort()]
  const reason = await reasonOf(`${scheme}://127.0.0.1:${one},127.0.0.1:${two}${path}`)
  for (const port of [one, two])
    expect(reason).toContain(`127.0.0.1:${port} cannot be reached (connect ECONNREFUSED 127.0.0.1:${port})`)
  expect(reason).toContain('check REDIS_URL')
})

it.each([
  ['rediss', ''],
  ['rediss+cluster', ''],
  ['rediss+sentinel', '/main'],
])('says of %s that a server does not speak TLS, whether it is silent or answers otherwise', async (scheme, path) => {
  const held: Socket[] = []
  const silent = await portOf((socket) => held.push(socket.resume()))
  expect(await reasonOf(`${scheme}://127.0.0.1:${silent}${path}`)).toMatch(
    /:\d+ does not answer by TLS: check REDIS_URL/,
  )
  for (const socket of held) socket.destroy()
  const plain = await portOf((socket) => socket.once('data', () => socket.end('-ERR unknown command\r\n')))
  expect(await reasonOf(`${scheme}://127.0.0.1:${plain}${path}`)).toContain('does not speak TLS on this port')
})

it.each([
  ['redis', ''],
  ['redis+cluster', ''],
  ['redis+sentinel', '/main'],
])('says of %s that a server which only closes connections may expect TLS', async (scheme, path) => {
  const port = await portOf((socket) => socket.once('data', () => socket.end()))
  expect(await reasonOf(`${scheme}://127.0.0.1:${port}${path}`)).toContain('it expects TLS (rediss)')
})
