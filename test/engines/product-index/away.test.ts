import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { connectElasticsearch } from '../../../infra/product-index/elasticsearch/product-index.ts'
import { IndexUnavailable } from '../../../infra/product-index/port.ts'
import { addresses, testNamespace } from '../addresses.ts'
import { offer, query } from './writes.ts'

const url = addresses.elasticsearchUrl
const options = { url, namespace: testNamespace() }

describe('a server that cannot be had', () => {
  test('is an unavailable index: refused, silent, without indices, closed', async () => {
    const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const timeouts = { searchTimeoutMs: 200, writeTimeoutMs: 200 }
    for (const away of [
      connectElasticsearch({ ...options, url: 'http://127.0.0.1:1' }),
      connectElasticsearch({ ...options, ...timeouts, url: `http://127.0.0.1:${port}` }),
      connectElasticsearch({ url, namespace: testNamespace() }),
    ]) {
      await expect(away.search([query])).rejects.toBeInstanceOf(IndexUnavailable)
      await expect(away.write([offer(1, 1)])).rejects.toBeInstanceOf(IndexUnavailable)
      await expect(away.count('shop', [])).rejects.toBeInstanceOf(IndexUnavailable)
      await away.close()
      await expect(away.count('shop', [])).rejects.toBeInstanceOf(IndexUnavailable)
    }
    silent.close()
  })
})
