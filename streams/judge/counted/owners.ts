import { fingerprintOf, hashBegin, type IdFingerprint } from '../../../infra/counters/fingerprint.ts'
import { FingerprintIndex } from '../../../infra/counters/fingerprint-index.ts'
import { personShard } from '../../../infra/counters/shards.ts'

/** What several events may share. */
export type SharedBy = 'address' | 'agent' | 'network' | 'cid'

/** The number of an owner within a batch. */
export type Owner = number

/** Names of one kind in one shop. */
interface Names {
  shopId: string
  /** The hash of the part that begins all of them: the kind and the shop. */
  begun: IdFingerprint
}

/**
 * The owners of a batch: people, addresses and others that its events are counted by, each with a name in a shop. They are numbered
 * from 0 on, and their data is kept in lists by number, because a batch has tens of thousands: the garbage collector would move
 * every object twice.
 */
export class Owners {
  /** How many shards there are. */
  readonly shardCount: number
  // By owner.
  readonly names: string[] = []
  /** The shard of an owner's counters. */
  readonly shards: number[] = []
  readonly #index = new FingerprintIndex()
  readonly #fingerprints: IdFingerprint[] = []
  readonly #names: Record<SharedBy, Map<string, Names>> = {
    address: new Map(),
    agent: new Map(),
    network: new Map(),
    cid: new Map(),
  }
  /** The names that were asked for last, because most batches are of few shops. */
  readonly #last: Partial<Record<SharedBy, Names>> = {}

  constructor(shardCount: number) {
    this.shardCount = shardCount
  }

  owner(by: SharedBy, shopId: string, name: string): Owner {
    const fingerprint = fingerprintOf(name, this.#namesOf(by, shopId).begun)
    const owner = this.#index.add(fingerprint.low, fingerprint.high)
    if (owner === this.names.length) {
      this.names.push(name)
      this.#fingerprints.push(fingerprint)
      this.shards.push(personShard(name, this.shardCount))
    }
    return owner
  }

  /** The fingerprint of the kind, the shop and the name. */
  fingerprint(owner: Owner): IdFingerprint {
    return this.#fingerprints[owner]!
  }

  #namesOf(by: SharedBy, shopId: string): Names {
    const last = this.#last[by]
    if (last?.shopId === shopId) return last
    const names = this.#names[by].get(shopId) ?? { shopId, begun: hashBegin(`${by}/${shopId}/`) }
    this.#names[by].set(shopId, names)
    this.#last[by] = names
    return names
  }
}
