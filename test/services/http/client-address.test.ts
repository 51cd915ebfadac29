import { describe, expect, it } from 'vitest'
import { clientAddress } from '../../../services/http/client-address.ts'
import { createHttpServer } from '../../../services/http/server.ts'

const PROXY = '10.0.0.7'

/** The address that the server takes for the client's, for a request over a socket with these headers. */
async function seen(socket: string, forwardedFor?: string | string[], trustedProxies = ['10.0.0.0/8']) {
  const server = createHttpServer({ logger: false, trustedProxies })
  server.get('/', async (request) => ({ address: clientAddress(request) }))
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  const answer = await server.inject({ url: '/', remoteAddress: socket, headers })
  expect(answer.statusCode).toBe(200)
  return answer.json().address
}

describe('the client of a request', () => {
  it('is the socket where no proxy is trusted, whatever the header says', async () => {
    expect(await seen('8.8.8.8', undefined, [])).toBe('8.8.8.8')
    expect(await seen('8.8.8.8', '1.1.1.1', [])).toBe('8.8.8.8')
    expect(await seen('8.8.8.8', '10.0.0.7, 127.0.0.1')).toBe('8.8.8.8')
  })

  it('is the rightmost hop that is no trusted proxy', async () => {
    expect(await seen(PROXY, '8.8.8.8')).toBe('8.8.8.8')
    expect(await seen(PROXY, '8.8.8.8, 10.1.1.1')).toBe('8.8.8.8')
    expect(await seen(PROXY, '8.8.8.8,10.1.1.1,  10.2.2.2')).toBe('8.8.8.8')
  })

  it('cannot be forged by what a client writes into the header, since proxies append to it', async () => {
    expect(await seen(PROXY, '1.1.1.1, 8.8.8.8')).toBe('8.8.8.8')
    expect(await seen(PROXY, '10.0.0.9, 10.0.0.8, 8.8.8.8, 10.1.1.1')).toBe('8.8.8.8')
    expect(await seen(PROXY, ['1.1.1.1', '8.8.8.8'])).toBe('8.8.8.8')
    expect(await seen(PROXY, `${'1.1.1.1, '.repeat(1_000)}8.8.8.8`)).toBe('8.8.8.8')
  })

  it('has one spelling', async () => {
    expect(await seen('::ffff:8.8.8.8', undefined)).toBe('8.8.8.8')
    expect(await seen(PROXY, '::FFFF:808:808')).toBe('8.8.8.8')
    expect(await seen(PROXY, '8.8.8.8:49152')).toBe('8.8.8.8')
    expect(await seen(PROXY, '2A00:1450:4001:081b:0:0:0:200E')).toBe('2a00:1450:4001:81b::200e')
    expect(await seen(PROXY, '[2a00:1450:4001:81b::200e]:443')).toBe('2a00:1450:4001:81b::200e')
    expect(await seen(PROXY, '[2a00:1450:4001:81b::200e]')).toBe('2a00:1450:4001:81b::200e')
  })

  it('is found behind trusted proxies in any spelling', async () => {
    expect(await seen(`::ffff:${PROXY}`, '8.8.8.8')).toBe('8.8.8.8')
    expect(await seen(PROXY, '8.8.8.8, 10.1.1.1:8443')).toBe('8.8.8.8')
    expect(await seen('fd00::7', '8.8.8.8, [fd00::8]:1234', ['uniquelocal'])).toBe('8.8.8.8')
    expect(await seen('2606:4700::1', '2a00::1', ['2606:4700::/32'])).toBe('2a00::1')
    expect(await seen('::1', '8.8.8.8', ['loopback'])).toBe('8.8.8.8')
  })

  it.each([
    ['loopback', '127.0.0.1'],
    ['loopback of IPv6', '::1'],
    ['private', '192.168.1.5'],
    ['private, and a proxy that is not trusted', '172.16.0.1'],
    ['link-local', '169.254.10.1'],
    ['link-local of IPv6', 'fe80::1%eth0'],
    ['carrier-grade', '100.64.3.4'],
    ['unique-local', 'fd12::1'],
    ['private and mapped', '::ffff:192.168.0.1'],
  ])('is unknown when the address is %s', async (_kind, address) => {
    expect(await seen(address)).toBeNull()
    expect(await seen(address, '8.8.8.8')).toBeNull()
    expect(await seen(PROXY, `8.8.8.8, ${address}`)).toBeNull()
  })

  it('is unknown when a trusted proxy asks by itself', async () => {
    expect(await seen(PROXY)).toBeNull()
    expect(await seen('9.9.9.9', undefined, ['9.9.9.9'])).toBeNull()
    expect(await seen('9.9.9.9', '9.9.9.9', ['9.9.9.9'])).toBeNull()
  })

  it.each([
    'unknown',
    '_hidden',
    '',
    ' , ',
    'localhost',
    '0x7f.1',
    '127.1',
    '1.2.3.4.5',
    '08.8.8.8',
    '[::1',
    '8.8.8.8:x',
    '%',
  ])('is unknown when the hop before a trusted proxy is %j', async (garbage) => {
    expect(await seen(PROXY, garbage)).toBeNull()
  })
})

describe('trusted proxies', () => {
  it('are not made of an address that only looks like one', async () => {
    // proxy-addr reads these as 127.0.0.1, and would skip them as trusted.
    expect(await seen('127.0.0.1', '8.8.8.8, 0x7f.1', ['loopback'])).toBeNull()
    expect(await seen('127.0.0.1', '8.8.8.8, 2130706433', ['loopback'])).toBeNull()
  })

  it('are refused where a network is none', () => {
    expect(() => createHttpServer({ logger: false, trustedProxies: ['10.0.0.0/33'] })).toThrow(RangeError)
  })
})
