import { fingerprintOf, hashBegin, type IdFingerprint } from '../../../infra/counters/fingerprint.ts'
import { FingerprintIndex } from '../../../infra/counters/fingerprint-index.ts'
import { personShard } from '../../../infra/counters/shards.ts'

/** What several events may share. */
export type SharedBy = 'address' | 'agent' | 'network' | 'cid' | 'unit' | 'campaign'

/** The number of somebody among the owners of a batch. */
export type Owner = number

/** Names of one kind in one shop. */
interface Names {
  shopId: string
  /** What is hashed of each of them already. */
  begun: IdFingerprint
}

/**
 * Those whom the events of a batch are counted by, each under one name in one shop. They are numbered from 0 on, and what is known of
 * them lies in lists of numbers, because a batch has tens of thousands: objects would all be moved by the collector of garbage, twice.
 */
export class Owners {
  /** How many shards there are. */
  readonly shardCount: number
  // By owner.
  readonly names: string[] = []
  /** Where the counters of an owner lie. */
  readonly shards: number[] = []
  readonly #index = new FingerprintIndex()
  readonly #names: Record<SharedBy, Map<string, Names>> = {
    address: new Map(),
    agent: new Map(),
    network: new Map(),
    cid: new Map(),
    unit: new Map(),
    campaign: new Map(),
  }
  /** What was asked for last: mostly a batch is of few shops. */
  readonly #last: Partial<Record<SharedBy, Names>> = {}

  constructor(shardCount: number) {
    this.shardCount = shardCount
  }

  owner(by: SharedBy, shopId: string, name: string): Owner {
    const { low, high } = fingerprintOf(name, this.#namesOf(by, shopId).begun)
    const owner = this.#index.add(low, high)
    if (owner === this.names.length) {
      this.names.push(name)
      this.shards.push(personShard(name, this.shardCount))
    }
    return owner
  }

  /** Of the kind, the shop and the name. */
  fingerprint(owner: Owner): IdFingerprint {
    return this.#index.fingerprint(owner)
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
