import { BlockList, isIP, SocketAddress } from 'node:net'

/** Names that a list of networks may use; they are those of proxy-addr. */
const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}
export const NETWORK_NAMES = Object.keys(NAMED_NETWORKS)

/** Networks that a machine or an organisation uses for itself; carriers use 100.64.0.0/10 behind their NAT (RFC 6598). */
const local = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/128',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
])
/** IANA special-purpose registries: the other IPv4 networks that are not globally reachable or only relay to it. */
const specialIpv4 = blockList([
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])
/** The part of IPv6 that is allocated, and within it protocol assignments, Teredo, documentation and 6to4. */
const globalIpv6 = blockList(['2000::/3'])
const specialIpv6 = blockList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/
const IPV4_WITH_PORT = /^([\d.]+):\d{1,5}$/
const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/
const IPV6_GROUPS = 8
const BITS_PER_GROUP = 16

/**
 * An IP address in its one canonical spelling, so that equal addresses are equal strings; null when the text is not an IP
 * address. A port, brackets or a zone, as proxies write them, are dropped. An IPv4 address mapped into IPv6 becomes IPv4.
 */
export function parseIpAddress(text: string): string | null {
  const trimmed = text.trim()
  const bare = IPV4_WITH_PORT.exec(trimmed)?.[1] ?? BRACKETED.exec(trimmed)?.[1] ?? trimmed
  const address = bare.split('%', 1)[0]!
  switch (isIP(address)) {
    case 4:
      return address
    case 6: {
      const canonical = new SocketAddress({ address, family: 'ipv6' }).address
      return MAPPED_IPV4.exec(canonical)?.[1] ?? canonical
    }
    default:
      return null
  }
}

/** True for an IP address that is reached over the public internet. */
export function isPublicAddress(text: string): boolean {
  const address = parseIpAddress(text)
  if (address === null || isIn(local, address)) return false
  if (isIP(address) === 4) return !isIn(specialIpv4, address)
  return isIn(globalIpv6, address) && !isIn(specialIpv6, address)
}

/** True for an address of loopback, link-local, private, unique-local or carrier-grade NAT networks: it identifies nobody. */
export function isLocalAddress(address: string): boolean {
  return isIn(local, address)
}

/** The network of an address, as text; a subscriber usually holds one IPv4 address, or an IPv6 network of 64 bits. */
export function networkOf(address: string, { ipv4Bits = 32, ipv6Bits = 64 } = {}): string {
  if (isIP(address) === 4) {
    return `${maskedGroups(address.split('.').map(Number), ipv4Bits, 8).join('.')}/${ipv4Bits}`
  }
  const groups = maskedGroups(ipv6Groups(address), ipv6Bits, BITS_PER_GROUP)
  return `${groups.map((group) => group.toString(16)).join(':')}/${ipv6Bits}`
}

/** True for what `networkList` takes: an address, a network (`10.0.0.0/8`), or one of NETWORK_NAMES. */
export function isNetwork(text: string): boolean {
  if (NETWORK_NAMES.includes(text)) return true
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}

/**
 * Returns a function that tells whether a canonical address, of either family, is in one of the networks.
 * @throws RangeError unless each `isNetwork`.
 */
export function networkList(networks: readonly string[]): (address: string) => boolean {
  const wrong = networks.find((network) => !isNetwork(network))
  if (wrong !== undefined) throw new RangeError(`${wrong} is not a network`)
  const list = blockList(networks.flatMap((network) => NAMED_NETWORKS[network] ?? [network]))
  return (address) => isIn(list, address)
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return list
}

function ipv6Groups(canonical: string): number[] {
  const [before = '', after] = canonical.split('::')
  const groupsOf = (part: string) =>
    part
      .split(':')
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16))
  const first = groupsOf(before)
  const last = groupsOf(after ?? '')
  return [...first, ...Array<number>(IPV6_GROUPS - first.length - last.length).fill(0), ...last]
}

function maskedGroups(groups: readonly number[], bits: number, bitsPerGroup: number): number[] {
  return groups.map((group, index) => {
    const dropped = bitsPerGroup - Math.min(bitsPerGroup, Math.max(0, bits - index * bitsPerGroup))
    return (group >> dropped) << dropped
  })
}
