import { partitionOfKey } from '../event-log/partitioner.ts'

/** The numbers of all shards. */
export const shardsOf = ({ shards }: { shards: number }) => Array.from({ length: shards }, (_, shard) => shard)

/** The shard of what a campaign counts: the number of the partition of `ad-events` that holds its events. */
export function shardOf(campaignId: string, shards: number): number {
  return partitionOfKey(campaignId, shards)
}

/** The shard of what belongs to nobody's campaign: a person, an address, an ad unit. */
export function personShard(who: string, shards: number): number {
  return partitionOfKey(who, shards)
}
