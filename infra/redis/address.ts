/** Where the counters' Redis is, as given by `REDIS_URL`. */
export type RedisAddress =
  | { kind: 'SERVER'; url: string }
  | ({ kind: 'SENTINELS'; masterName: string; database: number; sentinelPassword: string | null } & RedisNodes)
  | ({ kind: 'CLUSTER' } & RedisNodes)

export interface RedisNodes {
  nodes: { host: string; port: number }[]
  username: string | null
  password: string | null
  hasTls: boolean
}

/** Ends the sentence "REDIS_URL must be …". */
export const REDIS_ADDRESS_FORMS =
  'an address of the form redis://host:port/database or rediss://…, redis+sentinel://host:port,host:port/master-name or redis+cluster://host:port,host:port (rediss+ with TLS; user:password@ before the hosts)'

const NODES_MAX = 100
const REDIS_PORT = 6379
const SERVER_SCHEMES = ['redis:', 'rediss:']
/** A database is named by its number. */
const SERVER_PATH = /^(?:\/\d{0,4})?$/
/** A pattern, because `URL` accepts only one host. */
const SEVERAL_NODES =
  /^(?<scheme>rediss?)\+(?<kind>sentinel|cluster):\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<nodes>[^/?#@]+)(?<path>\/[^?#]*)?(?:\?sentinel-password=(?<sentinelPassword>[^&#]+))?$/
const NODE = /^(?<host>[^\s:[\]]+|\[[\da-f:.]+\]):(?<port>\d{1,5})$/i
const SENTINEL_PATH = /^\/(?<masterName>[^/]+)(?:\/(?<database>\d{1,4}))?$/

/** Null when the text has none of the forms. */
export function parseRedisAddress(text: string): RedisAddress | null {
  if (isServer(text)) return { kind: 'SERVER', url: text }
  const parts = SEVERAL_NODES.exec(text)?.groups
  if (!parts) return null
  const nodes = parts.nodes!.split(',').map(nodeOf)
  const [username, password, sentinelPassword] = [parts.user, parts.password, parts.sentinelPassword].map(decoded)
  if (nodes.length > NODES_MAX || nodes.includes(null) || username === undefined) return null
  if (password === undefined || sentinelPassword === undefined) return null
  const common = { nodes: nodes as RedisNodes['nodes'], username, password, hasTls: parts.scheme === 'rediss' }
  const path = parts.path ?? '/'
  if (parts.kind === 'cluster') return path === '/' && sentinelPassword === null ? { kind: 'CLUSTER', ...common } : null
  const { masterName, database = '0' } = SENTINEL_PATH.exec(path)?.groups ?? {}
  if (masterName === undefined) return null
  return { kind: 'SENTINELS', ...common, masterName, database: Number(database), sentinelPassword }
}

/** The servers that the address names: of Sentinels and of a Cluster, those that know the others. */
export function namedServers(address: RedisAddress): Pick<RedisNodes, 'nodes' | 'hasTls'> {
  if (address.kind !== 'SERVER') return address
  const { protocol, hostname, port } = new URL(address.url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { nodes: [{ host, port: Number(port || REDIS_PORT) }], hasTls: protocol === 'rediss:' }
}

/** The client would use database 0 for a path that is no number, and would take a query for its own options. */
function isServer(text: string): boolean {
  const { protocol, hostname, pathname, search, hash } = URL.parse(text) ?? {}
  if (!SERVER_SCHEMES.includes(protocol ?? '')) return false
  return Boolean(hostname) && SERVER_PATH.test(pathname!) && !search && !hash
}

function nodeOf(text: string): RedisNodes['nodes'][number] | null {
  const parts = NODE.exec(text.trim())?.groups
  const port = Number(parts?.port)
  if (!parts || port < 1 || port > 65_535) return null
  return { host: parts.host!.replace(/^\[(.*)\]$/, '$1'), port }
}

/** Null when left out; undefined when it is not a percent-encoding. */
function decoded(text: string | undefined): string | null | undefined {
  if (!text) return null
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
