import { describe, expect, it } from 'vitest'
import {
  isNetwork,
  isPublicAddress,
  networkOf,
  parseIpAddress,
} from '../../../../services/domain/identity/ip-address.ts'

describe('an address', () => {
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.1.1.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::ffff:10.0.0.1',
    '0:0:0:0:0:ffff:c0a8:0101',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:ce49:7601::',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '3fff::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'fd00:ec2::254',
    '',
    'localhost',
    '127.1',
    '1.2.3',
    '0x7f000001',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('the network of an address', () => {
  it.each([
    ['8.8.8.8', {}, '8.8.8.8/32'],
    ['8.8.8.8', { ipv4Bits: 24 }, '8.8.8.0/24'],
    ['8.8.200.8', { ipv4Bits: 17 }, '8.8.128.0/17'],
    ['2a00:1450:4001:81b::200e', {}, '2a00:1450:4001:81b:0:0:0:0/64'],
    ['2a00:1450:4001:81b:1:2:3:4', { ipv6Bits: 48 }, '2a00:1450:4001:0:0:0:0:0/48'],
    ['2a00::1', { ipv6Bits: 60 }, '2a00:0:0:0:0:0:0:0/60'],
    ['::1', {}, '0:0:0:0:0:0:0:0/64'],
  ])('of %s by %o is %s', (address, bits, network) => {
    expect(networkOf(address, bits)).toBe(network)
  })
})

it('reads an address in its canonical spelling, and nothing else', () => {
  expect(
    ['1.2.3.4', ' 1.2.3.4:80 ', '::ffff:1.2.3.4', '::FFFF:102:304', '[::ffff:1.2.3.4]:80'].map(parseIpAddress),
  ).toEqual(Array(5).fill('1.2.3.4'))
  expect(['FE80::1%eth0', 'fe80:0:0:0:0:0:0:1'].map(parseIpAddress)).toEqual(['fe80::1', 'fe80::1'])
  expect(['', 'x', '1.2.3', '01.2.3.4', '1.2.3.4/8', '::1::', ':::'].map(parseIpAddress)).toEqual(Array(7).fill(null))
})

it('tells networks from what is none', () => {
  for (const network of ['10.0.0.0/8', '10.0.0.1', '::1', 'fd00::/8', 'loopback', '0.0.0.0/0', '::/128']) {
    expect([network, isNetwork(network)]).toEqual([network, true])
  }
  for (const network of [
    '',
    'lan',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10/8',
    '::/129',
    '::/',
    '10.0.0.0/-1',
    'toString',
  ]) {
    expect([network, isNetwork(network)]).toEqual([network, false])
  }
})
