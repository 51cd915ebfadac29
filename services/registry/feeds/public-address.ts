import { BlockList, isIP } from 'node:net'

/** IANA special-purpose registries: what is not globally reachable, and what only relays to it. */
const BLOCKED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** Inside 2000::/3, which is all of IPv6 that is handed out: protocol assignments, Teredo, 6to4, documentation. */
const BLOCKED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const ipv4 = listOf(BLOCKED_IPV4, 'ipv4')
const ipv6 = listOf(BLOCKED_IPV6, 'ipv6')
const ipv6Global = listOf(['2000::/3'], 'ipv6')
const ipv6Mapped = listOf(['::ffff:0:0/96'], 'ipv6')

/** True for an IP address that is on the public internet. An IPv4 address mapped into IPv6 is judged as IPv4. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !ipv4.check(address, 'ipv4')
    case 6:
      if (ipv6Mapped.check(address, 'ipv6')) return isPublicAddress(mappedIpv4(address))
      return ipv6Global.check(address, 'ipv6') && !ipv6.check(address, 'ipv6')
    default:
      return false
  }
}

/** ::ffff:7f00:1 and ::ffff:127.0.0.1 are 127.0.0.1. */
function mappedIpv4(address: string): string {
  const dotted = /(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1]
  if (dotted) return dotted
  const [high = 0, low = 0] = address
    .split(':')
    .slice(-2)
    .map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [net, bits] = range.split('/')
    list.addSubnet(net!, Number(bits), family)
  }
  return list
}
