import { AnalyticsUnavailable } from '../../port.ts'
import type { Server } from '../server.ts'
import { type ClusterRow, clusterRowsSql, ownShard, type Topology, topologyOf } from './topology.ts'

/** Which server belongs to which shard, as each says of itself. A server is asked until it has answered once. */
export interface Members {
  topology(): Promise<Topology>
  /** @throws AnalyticsUnavailable while no server of the shard answers. */
  ofShard(shard: number): Promise<Server[]>
}

export function createMembers(servers: readonly Server[], cluster: string): Members {
  const known = new Map<Server, readonly ClusterRow[]>()

  /** Asks all servers that have not answered yet, in parallel. */
  async function learn(): Promise<void> {
    const unknown = servers.filter((server) => !known.has(server))
    const asked = unknown.map(async (server) => {
      const rows = await server.query<ClusterRow>(clusterRowsSql, { cluster })
      if (rows.length > 0) known.set(server, rows)
    })
    await Promise.allSettled(asked)
    if (known.size === 0) {
      await Promise.all(asked)
      throw new AnalyticsUnavailable(`No server knows the cluster ${cluster}`)
    }
  }

  return {
    async topology() {
      if (known.size === 0) await learn()
      return topologyOf([...known.values()][0]!)
    },
    async ofShard(shard) {
      const ofIt = () => servers.filter((server) => ownShard(known.get(server) ?? []) === shard)
      if (ofIt().length === 0) await learn()
      const found = ofIt()
      if (found.length === 0) throw new AnalyticsUnavailable(`No server of shard ${shard + 1} of ${cluster} answers`)
      return found
    },
  }
}
