import { partitionOfKey } from '../event-log/partitioner.ts'

/** The numbers of all shards. */
export const shardsOf = ({ shards }: { shards: number }) => Array.from({ length: shards }, (_, shard) => shard)

/** The shard of a campaign's counters: the number of the partition of `ad-events` that holds its events. */
export function shardOf(campaignId: string, shards: number): number {
  return partitionOfKey(campaignId, shards)
}

/** The shard of counters that belong to no campaign: those of a person, an address or an ad unit. */
export function personShard(who: string, shards: number): number {
  return partitionOfKey(who, shards)
}
