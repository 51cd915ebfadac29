import { expect, test } from 'vitest'
import type { AdEvent } from '../../../../schemas/records/events.ts'
import { UNKNOWN_CLIENT } from '../../../../services/domain/identity/client-hashes.ts'
import { clientHasher, intakeOverMemory, NOW, showIdOf } from '../intake.fixtures.ts'

const OPERATOR_TOKEN = 'an-operator-token-of-32-characters-or-more'
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

/** What a click with these headers says about its client, from a proxy on loopback. */
async function clientOfClick(headers: Record<string, string>, trustedProxies = ['loopback']) {
  const intake = intakeOverMemory(undefined, { bootstrapToken: OPERATOR_TOKEN, trustedProxies })
  const { status } = await intake.post('/v1/dsa/click-event', { showId: showIdOf() }, headers)
  expect(status).toBe(202)
  const { addressHash, previousAddressHash, networkHash, agentHash, proof, bot } = intake.records()[0]!.value as AdEvent
  return { hashes: { addressHash, previousAddressHash, networkHash, agentHash }, proof, bot }
}
const hashesOf = (address: string, userAgent: string) => clientHasher.hash({ address, userAgent }, NOW)

test('an event says from where it came, by the hop before the trusted proxy', async () => {
  const sent = { 'user-agent': 'Firefox', 'x-forwarded-for': '9.9.9.9, 8.8.8.8' }
  expect(await clientOfClick(sent)).toMatchObject({ hashes: hashesOf('8.8.8.8', 'Firefox'), proof: 'ANONYMOUS' })
})

test.each([
  ['loopback', {}, ['loopback']],
  ['a private network', { 'x-forwarded-for': '10.1.2.3' }, ['loopback']],
  ['a proxy that nobody trusts', { 'x-forwarded-for': '8.8.8.8' }, []],
])('a client of %s is unknown', async (_name, headers, proxies) => {
  expect((await clientOfClick(headers, proxies)).hashes).toEqual(UNKNOWN_CLIENT)
})

test("a shop's server tells the address and User-Agent of the shopper with its token", async () => {
  const sent = {
    authorization: `Bearer ${OPERATOR_TOKEN}`,
    'x-forwarded-for': '8.8.8.8',
    'user-agent': 'node',
    'endcap-client-address': '2a00:1:2:3::4',
    'endcap-client-user-agent': GOOGLEBOT,
  }
  expect(await clientOfClick(sent)).toEqual({ hashes: hashesOf('2a00:1:2:3::4', GOOGLEBOT), proof: 'TOKEN', bot: true })
})

test.each<Record<string, string>>([
  {},
  { 'endcap-client-address': '192.168.1.1' },
  { 'endcap-client-address': 'nobody' },
])("of a shop's server that tells %j the shopper's address is unknown, and not the server's own", async (told) => {
  const sent = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'x-forwarded-for': '8.8.8.8', ...told }
  expect((await clientOfClick(sent)).hashes).toEqual(UNKNOWN_CLIENT)
})

test('a stranger cannot tell another address than the own', async () => {
  const sent = { 'x-forwarded-for': '8.8.8.8', 'endcap-client-address': '9.9.9.9', 'user-agent': 'curl' }
  expect((await clientOfClick(sent)).hashes).toEqual(hashesOf('8.8.8.8', 'curl'))
})
