import { describe, expect, test } from 'vitest'
import { parseRedisAddress } from '../../../infra/redis/address.ts'

const anybody = { username: null, password: null, hasTls: false }

describe('the address of Redis', () => {
  test('of one server is its URL', () => {
    expect(parseRedisAddress('redis://localhost')).toEqual({ kind: 'SERVER', url: 'redis://localhost' })
    expect(parseRedisAddress('rediss://u:p@r:1/2')).toEqual({ kind: 'SERVER', url: 'rediss://u:p@r:1/2' })
  })

  test('of Sentinels names them, the master and its database', () => {
    expect(parseRedisAddress('redis+sentinel://a:26379,b.example:1/main')).toEqual({
      kind: 'SENTINELS',
      nodes: [
        { host: 'a', port: 26379 },
        { host: 'b.example', port: 1 },
      ],
      masterName: 'main',
      database: 0,
      sentinelPassword: null,
      ...anybody,
    })
    expect(parseRedisAddress('rediss+sentinel://u%40x:p%2Fq@[::1]:7/main/3?sentinel-password=s%20t')).toEqual({
      kind: 'SENTINELS',
      nodes: [{ host: '::1', port: 7 }],
      masterName: 'main',
      database: 3,
      username: 'u@x',
      password: 'p/q',
      sentinelPassword: 's t',
      hasTls: true,
    })
  })

  test('of a Cluster names some of its nodes', () => {
    const nodes = [
      { host: '10.0.0.1', port: 6379 },
      { host: '10.0.0.2', port: 6379 },
    ]
    expect(parseRedisAddress('redis+cluster://10.0.0.1:6379,10.0.0.2:6379')).toEqual({
      kind: 'CLUSTER',
      nodes,
      ...anybody,
    })
    expect(parseRedisAddress('redis+cluster://:p@10.0.0.1:6379, 10.0.0.2:6379/')).toEqual({
      kind: 'CLUSTER',
      nodes,
      ...anybody,
      password: 'p',
    })
  })

  test.each([
    ['another scheme', 'http://r'],
    ['no scheme', 'localhost:6379'],
    ['no host', 'redis:///1'],
    ['a server and a database that is no number', 'redis://r/shop'],
    ['a server and more than a database', 'redis://r/1/2'],
    ['a server and an option', 'redis://r/1?maxRetriesPerRequest=5'],
    ['Sentinels without a master', 'redis+sentinel://a:1,b:2'],
    ['Sentinels and a database that is no number', 'redis+sentinel://a:1/main/x'],
    ['a node without a port', 'redis+cluster://a:1,b'],
    ['a port beyond all ports', 'redis+cluster://a:65536'],
    ['no node', 'redis+cluster://'],
    ['an empty node', 'redis+cluster://a:1,,b:2'],
    ['a Cluster and a database', 'redis+cluster://a:1/2'],
    ['a password that is no percent-encoding', 'redis+cluster://u:%zz@a:1'],
    ['an option that is not known', 'redis+sentinel://a:1/main?tls=yes'],
  ])('is none: %s', (_, url) => {
    expect(parseRedisAddress(url)).toBeNull()
  })
})
