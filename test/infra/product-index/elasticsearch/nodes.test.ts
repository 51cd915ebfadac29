import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { openClient } from '../../../../infra/product-index/elasticsearch/client.ts'
import { indexBehind, turnAliases } from '../../../../infra/product-index/elasticsearch/indices.ts'
import { refuseOtherClusters } from '../../../../infra/product-index/elasticsearch/one-cluster.ts'
import { IndexUnavailable } from '../../../../infra/product-index/port.ts'

interface Request {
  path: string
  authorization: string | undefined
}
const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A server in place of a node. */
async function startNode(answer: RequestListener) {
  const asked: Request[] = []
  const server = createServer((request, response) => {
    asked.push({ path: request.url!, authorization: request.headers.authorization })
    response.setHeader('x-elastic-product', 'Elasticsearch').setHeader('content-type', 'application/json')
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { asked, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` }
}

const counts: RequestListener = (_, response) => response.end('{"count":7}')
const breaks: RequestListener = (request) => request.socket.destroy()
const saysNothing: RequestListener = () => {}
const REFUSED = 'http://127.0.0.1:1'

describe('nodes of Elasticsearch', () => {
  it('take turns', async () => {
    const nodes = [await startNode(counts), await startNode(counts)]
    const client = openClient({ url: nodes.map(({ url }) => url).join(', ') })
    for (let n = 0; n < 4; n++) await client.count()
    expect(nodes.map(({ asked }) => asked.length)).toEqual([2, 2])
    await client.close()
  })

  it('stand in for one that refuses or loses a request, which is then left alone', async () => {
    const [lost, good] = [await startNode(breaks), await startNode(counts)]
    const client = openClient({ url: `${REFUSED},${lost.url},${good.url}` })
    for (let n = 0; n < 4; n++) expect((await client.count()).count).toBe(7)
    expect(lost.asked).toHaveLength(1)
    await client.close()
  })

  it('are each asked once when all are away', async () => {
    const nodes = [await startNode(breaks), await startNode(breaks)]
    const client = openClient({ url: nodes.map(({ url }) => url).join() })
    await expect(client.count()).rejects.toThrow()
    expect(nodes.map(({ asked }) => asked.length)).toEqual([1, 1])
    await client.close()
  })

  it('cost one request its time when one is silent, and no further one', async () => {
    const [silent, good] = [await startNode(saysNothing), await startNode(counts)]
    const client = openClient({ url: `${silent.url},${good.url}` }, 100)
    await expect(client.count()).rejects.toThrow('timed out')
    for (let n = 0; n < 4; n++) await client.count()
    expect([silent.asked.length, good.asked.length]).toEqual([1, 4])
    await client.close()
  })

  it('are asked only once to move an alias, since the second would find it moved', async () => {
    const breaksThere: RequestListener = (request, response) =>
      request.url!.includes('_aliases')
        ? breaks(request, response)
        : response.end('{"old":{"mappings":{}},"new":{"mappings":{}}}')
    const nodes = [await startNode(breaksThere), await startNode(breaksThere)]
    const client = openClient({ url: nodes.map(({ url }) => url).join() })
    const turn = { alias: 'alias', present: 'old', next: 'new', nextAlias: null }
    await expect(turnAliases(client, [turn])).rejects.toThrow()
    expect(nodes.flatMap(({ asked }) => asked).filter(({ path }) => path.includes('_aliases'))).toHaveLength(1)
    await client.close()
  })

  it('say that an index is missing; another server or a proxy that knows no such page does not', async () => {
    const node = await startNode((_, response) => response.writeHead(404).end('{"status":404}'))
    const proxy = await startNode((_, response) => {
      response.removeHeader('x-elastic-product')
      response.writeHead(404).end('{}')
    })
    const behind = (url: string) => {
      const opened = openClient({ url })
      return indexBehind(opened, 'alias').finally(() => opened.close())
    }
    expect(await behind(node.url)).toBe(null)
    await expect(behind(proxy.url)).rejects.toThrow(IndexUnavailable)
  })

  it('are refused when they are of different clusters', async () => {
    const of =
      (cluster_uuid: string): RequestListener =>
      (_, response) =>
        response.end(JSON.stringify({ cluster_uuid, version: { number: '9.4.3' } }))
    const forbids: RequestListener = (_, response) => response.writeHead(403).end('{"error":{},"status":403}')
    const start = async (answers: RequestListener[]) => {
      const nodes = await Promise.all(answers.map(startNode))
      await refuseOtherClusters({ url: [REFUSED, ...nodes.map(({ url }) => url.replace('//', '//u:p@'))].join() })
    }
    await start([of('one'), of('one'), of('_na_'), forbids])
    await expect(start([forbids, of('one'), of('two')])).rejects.toThrow(
      /^ELASTICSEARCH_URL must name nodes of one cluster: 127.0.0.1:\d+ and 127.0.0.1:\d+ are of different ones$/,
    )
  })

  it('are signed in to by API key, or by user and password', async () => {
    const node = await startNode(counts)
    const authorizations: (string | undefined)[] = []
    for (const options of [
      { url: node.url, apiKey: 'a2V5' },
      { url: node.url.replace('//', '//user:password@') },
      { url: node.url },
    ]) {
      const client = openClient(options)
      await client.count()
      authorizations.push(node.asked.at(-1)!.authorization)
      await client.close()
    }
    expect(authorizations).toEqual([
      'ApiKey a2V5',
      `Basic ${Buffer.from('user:password').toString('base64')}`,
      undefined,
    ])
  })
})
