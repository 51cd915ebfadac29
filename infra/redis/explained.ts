import { connect, isIP } from 'node:net'
import { connect as connectByTls } from 'node:tls'
import type { RedisNodes } from './address.ts'

const TRY_MAX_MS = 1_000
/** So many addresses say enough. */
const TRIED_MAX = 3
/** Messages of the client that hide why a connection was not made. */
const WITHOUT_CAUSE = /Connection is closed|timeout|timed out|ETIMEDOUT|in time/i

export const hidesCause = ({ message }: Error) => WITHOUT_CAUSE.test(message)

/**
 * Why servers cannot be reached: the client reports of a Cluster and of Sentinels only that a connection is closed.
 * @returns an error with the addresses and the reasons; the given one when that says more, or every address can be reached.
 */
export async function explainedByReach(error: Error, { nodes, hasTls }: Pick<RedisNodes, 'nodes' | 'hasTls'>) {
  if (!hidesCause(error)) return error
  const reasons = await Promise.all(nodes.slice(0, TRIED_MAX).map((node) => whyNotReached(node, hasTls)))
  const found = reasons.filter((reason) => reason !== null)
  return found.length === 0 ? error : new Error(`${found.join('; ')}: check REDIS_URL`)
}

/** Null when a connection can be made. */
function whyNotReached({ host, port }: RedisNodes['nodes'][number], hasTls: boolean): Promise<string | null> {
  const socket = hasTls
    ? connectByTls({ host, port, ...(isIP(host) ? {} : { servername: host }) })
    : connect({ host, port })
  const at = `${host}:${port}`
  return new Promise<string | null>((resolve) => {
    socket.setTimeout(TRY_MAX_MS, () => resolve(hasTls ? `${at} does not answer by TLS` : `${at} does not answer`))
    socket.once(hasTls ? 'secureConnect' : 'connect', () => resolve(null))
    socket.once('error', ({ message }) => resolve(`${at} cannot be reached (${message})`))
  }).finally(() => socket.destroy())
}

/** What an operator has to change, by what servers answer. */
const REMEDIES: readonly [answer: RegExp, remedy: string][] = [
  [/^(MOVED|CROSSSLOT) /, 'it is a Cluster, so REDIS_URL must begin with redis+cluster://'],
  [/cluster support disabled/, 'it is not a Cluster, so REDIS_URL must begin with redis:// or redis+sentinel://'],
  [/unknown command 'sentinel'/i, 'it is not a Sentinel, so REDIS_URL must begin with redis:// or redis+cluster://'],
  [/\b(WRONGPASS|NOAUTH|NOPERM)\b/, 'check the user and the password in REDIS_URL'],
  [
    /Connection is closed|EPIPE|ECONNRESET/,
    'if the server always closes connections, it expects TLS (rediss) or is no Redis: check REDIS_URL',
  ],
  [/wrong version number/, 'the server does not speak TLS on this port: check REDIS_URL'],
  [/Unknown RESP type/, 'it is no Redis: check the host and the port in REDIS_URL'],
]

/** An error of the client or of a server in words that say what to change, where that is known. */
export function explained({ name, message }: Error): string {
  if (name === 'MaxRetriesPerRequestError') return 'the connection was lost'
  const [, remedy] = REMEDIES.find(([answer]) => answer.test(message)) ?? []
  return remedy === undefined ? message : `${remedy} (${message})`
}
