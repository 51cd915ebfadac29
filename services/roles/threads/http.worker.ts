import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../../../infra/config.ts'
import { untilThere } from '../../../infra/engines/until-there.ts'
import type { EngineLinks } from '../../../infra/engines.ts'
import { connectBuckets } from '../../../infra/rate-limits/embedded/rate-limits.ts'
import { serveConnections } from '../../../infra/threads/worker.ts'
import { registerRoutes } from '../../api/api.ts'
import { forwardTo } from '../../http/forwarding/forward.ts'
import { listen } from '../../http/listen.ts'
import { createHttpServer } from '../../http/server.ts'
import { joinSpoolRoom, type SharedRoom } from '../../intake/spool/room.ts'
import { workerLogger } from '../../process/logger.ts'
import { followRegistry } from '../../replicas/registry-follower.ts'
import { openPublicRoles } from '../open-roles.ts'
import { openShared } from '../shared.ts'

export interface HttpWorkerData {
  name: string
  links: EngineLinks
  /** The config without keys. The keys of show ids come separately, as plain bytes. */
  config: Omit<Config, 'showIdKeys' | 'sessionKeys'>
  showIdKeys: readonly { id: number; secret: Uint8Array }[]
  /** A port from `EmbeddedBuckets.link`. */
  buckets: MessagePort
  spoolRoom: SharedRoom
  /** The TCP port on which the main thread listens. */
  port: number
  /** The path of the main thread's gate, to which this thread forwards requests that it does not answer. */
  gatePath: string
}

/** A thread that answers ad requests and takes events next to the main thread, on the same port. */
const { name, links, showIdKeys, buckets, spoolRoom, port, gatePath, ...data } = workerData as HttpWorkerData
const config: Config = { ...data.config, showIdKeys: null, sessionKeys: null }
const logger = workerLogger(config.logLevel, name)
const stops: (() => Promise<unknown>)[] = []
const shared = await openShared({
  config,
  logger,
  stops,
  links,
  showIdKeys: showIdKeys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret) })),
  buckets: connectBuckets(buckets),
  spoolRoom: joinSpoolRoom(spoolRoom),
  spool: name,
})
const { log, snapshot, uuid, metrics } = shared
const registry = await untilThere('log', logger, () => followRegistry({ log, snapshot, logger }))
stops.push(() => registry.close())
const parts = await openPublicRoles(config.roles, shared)

const server = createHttpServer({
  logger,
  limits: config.limits,
  trustedProxies: config.trustedProxies,
  requestId: uuid,
  elsewhere: forwardTo(gatePath),
})
stops.push(() => server.close())
const routes = parts.flatMap((part) => part.routes)
await registerRoutes(server, routes, { metrics, corsOrigins: config.corsOrigins, publicUrl: config.publicUrl })
await listen(server, { host: config.httpHost, port, isShared: true })

serveConnections(parentPort!, { values: metrics.values }, async () => {
  for (const stop of stops.reverse())
    await stop().catch((err) => logger.error({ err }, 'a part could not be closed cleanly'))
})
