import { LRUCache } from 'lru-cache'
import { fingerprintOf, type IdFingerprint, numberOf } from '../fingerprint.ts'
import type { SeenKey } from '../port.ts'

/**
 * Seen keys of a group lie in a trie of blocks that are only appended to: a block is a list of fingerprints, 8 bytes each. Once
 * the block of a group is full, further ones go to one of 16 blocks below it, by 4 bits of the fingerprint, and so on.
 */
const BLOCK_FULL = 512
const DIGIT_BITS = 4
const DIGITS_OF_LOW = 8
/** A fingerprint of 53 bits has no further digits: blocks there take any number. */
const DEPTH_MAX = 13
const FIRST_CAPACITY = 16
/** What an entry of the cache takes besides its fingerprints, about. */
const ENTRY_BYTES = 200

/** Fingerprints that belong at the end of a block. */
export interface BlockAppend {
  path: string
  keptUntil: number | null
  bytes: Buffer
}

/** A block as it was last known. */
class Block {
  #numbers = new Float64Array(FIRST_CAPACITY)
  #length = 0

  constructor(numbers: Float64Array) {
    for (const number of numbers) this.push(number)
  }
  get isFull(): boolean {
    return this.#length >= BLOCK_FULL
  }
  get bytes(): number {
    return this.#numbers.byteLength + ENTRY_BYTES
  }
  has(number: number): boolean {
    const at = this.#numbers.indexOf(number)
    return at >= 0 && at < this.#length
  }
  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const wider = new Float64Array(2 * this.#length)
      wider.set(this.#numbers)
      this.#numbers = wider
    }
    this.#numbers[this.#length++] = number
  }
  copy(): Block {
    return new Block(this.#numbers.subarray(0, this.#length))
  }
}

type Blocks = Map<string, Block>

interface Sought {
  key: SeenKey
  fingerprint: IdFingerprint
  isSeen: boolean
}

/** Reads blocks from Redis, as their bytes; null: there is none. */
export type FetchBlocks = (paths: readonly string[]) => Promise<(Buffer | null)[]>

/** What this process knows of the blocks of all shards, within bounds of memory. */
export class SeenCache {
  readonly #blocks: LRUCache<string, Block>

  constructor(maxBytes: number) {
    this.#blocks = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes })
  }
  get(name: string): Block | undefined {
    return this.#blocks.get(name)
  }
  set(name: string, block: Block): void {
    this.#blocks.set(name, block)
  }
}

/** The seen keys of one shard, as they stood when its token was the one that is known. */
export class SeenShard {
  readonly #cache: SeenCache
  readonly #shard: number
  /** Blocks of another generation are never looked at again, and leave the cache as the oldest. */
  #generation = 0
  #token: string | null = null

  constructor(cache: SeenCache, shard: number) {
    this.#cache = cache
    this.#shard = shard
  }

  /** Null: nothing is known. */
  get token(): string | null {
    return this.#token
  }

  /** Forgets what is known, unless it was known under this token. */
  expect(token: string | null): void {
    if (token !== null && token === this.#token) return
    this.#generation++
    this.#token = token
  }

  /** Which keys have been seen, in order. Fetches the blocks that are not known. */
  async look(keys: readonly SeenKey[], fetch: FetchBlocks): Promise<boolean[]> {
    const sought = await this.#seek(keys, new Map(), fetch)
    return sought.map(({ isSeen }) => isSeen)
  }

  /** Appends those of the keys that have not been seen. @returns what is appended, and what to call once it is stored. */
  async append(
    keys: readonly SeenKey[],
    fetch: FetchBlocks,
  ): Promise<{ appends: BlockAppend[]; stored(token: string): void }> {
    const blocks: Blocks = new Map()
    const sought = await this.#seek(keys, blocks, fetch)
    const changed: Blocks = new Map()
    const appended = new Map<string, { keptUntil: number | null; numbers: number[] }>()
    for (const { key, fingerprint, isSeen } of sought) {
      if (isSeen) continue
      // Again, because keys before it may have filled the block that was found, or be the same.
      const { isSeen: isAppended, path } = this.#find(key, fingerprint, blocks)
      if (isAppended) continue
      if (!changed.has(path)) {
        // A copy, because what is known stays as it is until this is stored. Below a block that was filled just now there is none.
        const copy = this.#known(path, blocks)?.copy() ?? new Block(new Float64Array())
        changed.set(path, copy)
        blocks.set(path, copy)
        appended.set(path, { keptUntil: key.group.keptUntil, numbers: [] })
      }
      changed.get(path)!.push(numberOf(fingerprint))
      appended.get(path)!.numbers.push(numberOf(fingerprint))
    }
    return {
      appends: [...appended].map(([path, { keptUntil, numbers }]) => ({ path, keptUntil, bytes: bytesOf(numbers) })),
      stored: (token) => {
        this.#token = token
        for (const [path, block] of changed) this.#cache.set(this.#name(path), block)
      },
    }
  }

  /** Looks for each key. Fetches the blocks that are not known, one deeper each time, and seeks on in these. */
  async #seek(keys: readonly SeenKey[], blocks: Blocks, fetch: FetchBlocks): Promise<Sought[]> {
    const sought = keys.map((key) => ({ key, fingerprint: fingerprintOf(key.id), isSeen: false }))
    let open = sought
    while (open.length > 0) {
      const missing = new Set<string>()
      open = open.filter((each) => {
        const { path, isKnown, isSeen } = this.#find(each.key, each.fingerprint, blocks)
        each.isSeen = isSeen
        if (!isKnown) missing.add(path)
        return !isKnown
      })
      if (missing.size > 0) await this.#fetch([...missing], blocks, fetch)
    }
    return sought
  }

  async #fetch(paths: readonly string[], blocks: Blocks, fetch: FetchBlocks): Promise<void> {
    const found = await fetch(paths)
    for (const [i, path] of paths.entries()) {
      const block = new Block(numbersOf(found[i] ?? null))
      blocks.set(path, block)
      this.#cache.set(this.#name(path), block)
    }
  }

  /** Goes down to the block that has the fingerprint, or is not full, or is not known. */
  #find({ group }: SeenKey, fingerprint: IdFingerprint, blocks: Blocks) {
    const number = numberOf(fingerprint)
    let path = `${group.name}/`
    for (let depth = 0; ; depth++) {
      const block = this.#known(path, blocks)
      if (!block) return { path, isKnown: false, isSeen: false }
      if (block.has(number)) return { path, isKnown: true, isSeen: true }
      if (!block.isFull || depth === DEPTH_MAX) return { path, isKnown: true, isSeen: false }
      path += digitOf(fingerprint, depth).toString(16)
    }
  }

  /** Blocks of this call first: the cache may have dropped them. */
  #known(path: string, blocks: Blocks): Block | undefined {
    const held = blocks.get(path)
    if (held) return held
    const block = this.#cache.get(this.#name(path))
    if (block) blocks.set(path, block)
    return block
  }

  #name(path: string): string {
    return `${this.#shard}.${this.#generation}/${path}`
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
