import { LRUCache } from 'lru-cache'
import { type IdFingerprint, numberOf } from '../fingerprint.ts'
import type { SeenKey } from '../port.ts'
import { NumberSet } from './number-tables.ts'

/**
 * Seen keys of a group lie in a trie of blocks that are only appended to: a block is a list of fingerprints, 8 bytes each. Once
 * the block of a group is full, further ones go to one of 16 blocks below it, by 4 bits of the fingerprint, and so on.
 */
const BLOCK_FULL = 512
const DIGIT_BITS = 4
const DIGITS_OF_LOW = 8
/** A fingerprint of 53 bits has no further digits: blocks there take any number. */
const DEPTH_MAX = 13
/** About how much memory a group takes besides its fingerprints, and how much each of its blocks takes. */
const GROUP_BYTES = 500
const BLOCK_BYTES = 250

/** Fingerprints that belong at the end of a block. */
export interface BlockAppend {
  path: string
  keptUntil: number | null
  bytes: Buffer
}

/** A block as it was last known. Its fingerprints are among those of its group. */
class Block {
  readonly path: string
  /** How many fingerprints the block has; null when it must be fetched. */
  length: number | null
  /** Whether this process has filled the block, so that there are no blocks below it but those known here. */
  isFilledHere = false
  readonly below: (Block | undefined)[] = []
  appended: number[] = []

  constructor(path: string, length: number | null) {
    this.path = path
    this.length = length
  }
}

/** What is known of a group. */
class Group {
  readonly numbers = new NumberSet()
  readonly #root: Block
  #blocks = 1

  constructor(name: string) {
    this.#root = new Block(`${name}/`, null)
  }

  get bytes(): number {
    return GROUP_BYTES + this.#blocks * BLOCK_BYTES + this.numbers.bytes
  }

  /** The block where a fingerprint belongs that has not been seen, or a block that must be fetched to tell. */
  blockFor(fingerprint: IdFingerprint): Block {
    let block = this.#root
    for (let depth = 0; block.length !== null && block.length >= BLOCK_FULL && depth < DEPTH_MAX; depth++) {
      const digit = digitOf(fingerprint, depth)
      let below = block.below[digit]
      if (!below) {
        below = new Block(`${block.path}${digit.toString(16)}`, block.isFilledHere ? 0 : null)
        block.below[digit] = below
        this.#blocks++
      }
      block = below
    }
    return block
  }

  fetched(block: Block, numbers: Float64Array): void {
    block.length = numbers.length
    for (const number of numbers) this.numbers.add(number)
  }

  append(block: Block, number: number): void {
    this.numbers.add(number)
    block.appended.push(number)
    block.length!++
    if (block.length === BLOCK_FULL) block.isFilledHere = true
  }
}

/** Reads the bytes of blocks from Redis; null for a block that does not exist. */
export type FetchBlocks = (paths: readonly string[]) => Promise<(Buffer | null)[]>

/** What this process knows of the groups of all shards, within a limit of memory: those used least recently are dropped. */
export class SeenCache {
  readonly #groups: LRUCache<string, Group>

  constructor(maxBytes: number) {
    this.#groups = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes })
  }

  get(name: string): Group | undefined {
    return this.#groups.peek(name)
  }

  /** Notes that a group was used, and may have grown. */
  used(name: string, group: Group): void {
    // The cache does not update the size of a value that it already holds.
    this.#groups.delete(name)
    this.#groups.set(name, group)
  }
}

/** The seen keys of one shard, as they are while the shard has the token that is known here. */
export class SeenShard {
  readonly #cache: SeenCache
  readonly #shard: number
  /** Groups of another generation are never looked at again, and leave the cache as the oldest. */
  #generation = 0
  #token: string | null = null

  constructor(cache: SeenCache, shard: number) {
    this.#cache = cache
    this.#shard = shard
  }

  /** Null when nothing is known. */
  get token(): string | null {
    return this.#token
  }

  /** Forgets everything, unless it is known under this token. */
  expect(token: string | null): void {
    if (token !== null && token === this.#token) return
    this.#generation++
    this.#token = token
  }

  /** Whether each key has been seen, in order. Fetches the blocks that are not known. */
  async look(keys: readonly SeenKey[], fetch: FetchBlocks): Promise<boolean[]> {
    const groups = this.#groupsOf(keys)
    await fetchUnknown(keys, groups, fetch)
    const seen = keys.map(({ fingerprint }, i) => groups[i]!.numbers.has(numberOf(fingerprint)))
    this.#used(keys, groups)
    return seen
  }

  /**
   * Appends those of the keys that have not been seen. A caller that does not store the result must call `expect(null)`.
   * @returns what is appended, and what to call once it is stored.
   */
  async append(
    keys: readonly SeenKey[],
    fetch: FetchBlocks,
  ): Promise<{ appends: BlockAppend[]; stored(token: string): void }> {
    const groups = this.#groupsOf(keys)
    await fetchUnknown(keys, groups, fetch)
    const changed: { block: Block; keptUntil: number | null }[] = []
    for (let i = 0; i < keys.length; i++) {
      const {
        fingerprint,
        group: { keptUntil },
      } = keys[i]!
      const group = groups[i]!
      const number = numberOf(fingerprint)
      if (group.numbers.has(number)) continue
      const block = group.blockFor(fingerprint)
      if (block.appended.length === 0) changed.push({ block, keptUntil })
      group.append(block, number)
    }
    this.#used(keys, groups)
    const appends = changed.map(({ block, keptUntil }) => {
      const bytes = bytesOf(block.appended)
      block.appended = []
      return { path: block.path, keptUntil, bytes }
    })
    return {
      appends,
      stored: (token) => {
        this.#token = token
      },
    }
  }

  /** The group of each key. */
  #groupsOf(keys: readonly SeenKey[]): Group[] {
    const groups = new Map<string, Group>()
    return keys.map(({ group: { name } }) => {
      let group = groups.get(name)
      if (!group) {
        group = this.#cache.get(this.#name(name)) ?? new Group(name)
        groups.set(name, group)
      }
      return group
    })
  }

  #used(keys: readonly SeenKey[], groups: readonly Group[]): void {
    const used = new Set<Group>()
    for (let i = 0; i < keys.length; i++) {
      if (used.has(groups[i]!)) continue
      used.add(groups[i]!)
      this.#cache.used(this.#name(keys[i]!.group.name), groups[i]!)
    }
  }

  #name(group: string): string {
    return `${this.#shard}.${this.#generation}/${group}`
  }
}

/** Fetches the blocks that tell which keys have been seen and where the others belong, one level deeper each time. */
async function fetchUnknown(keys: readonly SeenKey[], groups: readonly Group[], fetch: FetchBlocks): Promise<void> {
  for (;;) {
    const unknown = new Map<Block, Group>()
    for (let i = 0; i < keys.length; i++) {
      const { fingerprint } = keys[i]!
      const group = groups[i]!
      const block = group.blockFor(fingerprint)
      if (block.length === null && !group.numbers.has(numberOf(fingerprint))) unknown.set(block, group)
    }
    if (unknown.size === 0) return
    const blocks = await fetch([...unknown.keys()].map(({ path }) => path))
    let next = 0
    for (const [block, group] of unknown) group.fetched(block, numbersOf(blocks[next++] ?? null))
  }
}

function digitOf({ low, high }: IdFingerprint, depth: number): number {
  const bits = depth < DIGITS_OF_LOW ? low >>> (DIGIT_BITS * depth) : high >>> (DIGIT_BITS * (depth - DIGITS_OF_LOW))
  return bits & ((1 << DIGIT_BITS) - 1)
}

const bytesOf = (numbers: readonly number[]): Buffer => Buffer.from(Float64Array.from(numbers).buffer)

/** Copied, because a Float64Array must begin at a multiple of 8. */
const numbersOf = (bytes: Buffer | null): Float64Array =>
  bytes ? new Float64Array(new Uint8Array(bytes).buffer) : new Float64Array()
