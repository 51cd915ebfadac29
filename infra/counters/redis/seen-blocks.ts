import { LRUCache } from 'lru-cache'
import { type IdFingerprint, numberOf } from '../fingerprint.ts'
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

/** The place of a block in the trie of its group, as one call knows it. */
class Place {
  readonly path: string
  /** Null: it must be fetched. */
  block: Block | null
  readonly below: (Place | undefined)[] = []
  /** What the call appends to it. */
  appended: { keptUntil: number | null; numbers: number[] } | null = null

  constructor(path: string, block: Block | null) {
    this.path = path
    this.block = block
  }
}

/** By the name of a group. */
type Trie = Map<string, Place>

const SEEN = 'SEEN'
type Found = Place | typeof SEEN

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
    const found = await this.#findAll(keys, new Map(), fetch)
    return found.map((place) => place === SEEN)
  }

  /** Appends those of the keys that have not been seen. @returns what is appended, and what to call once it is stored. */
  async append(
    keys: readonly SeenKey[],
    fetch: FetchBlocks,
  ): Promise<{ appends: BlockAppend[]; stored(token: string): void }> {
    const trie: Trie = new Map()
    const found = await this.#findAll(keys, trie, fetch)
    const changed: Place[] = []
    for (const [i, key] of keys.entries()) {
      if (found[i] === SEEN) continue
      // Again, because keys before it may have filled the block that was found, or be the same.
      const place = this.#find(key, trie)
      if (place === SEEN) continue
      if (place.appended === null) {
        // A copy, because what is known stays as it is until this is stored. Below a block that was filled just now there is none.
        place.block = place.block?.copy() ?? new Block(new Float64Array())
        place.appended = { keptUntil: key.group.keptUntil, numbers: [] }
        changed.push(place)
      }
      const number = numberOf(key.fingerprint)
      place.block!.push(number)
      place.appended.numbers.push(number)
    }
    return {
      appends: changed.map(({ path, appended }) => {
        return { path, keptUntil: appended!.keptUntil, bytes: bytesOf(appended!.numbers) }
      }),
      stored: (token) => {
        this.#token = token
        for (const { path, block } of changed) this.#cache.set(this.#name(path), block!)
      },
    }
  }

  /** Finds where each key belongs. Fetches the blocks that are not known, one deeper each time. */
  async #findAll(keys: readonly SeenKey[], trie: Trie, fetch: FetchBlocks): Promise<Found[]> {
    const found = keys.map((key) => this.#find(key, trie))
    for (;;) {
      const missing = new Set<Place>()
      for (const place of found) if (place !== SEEN && place.block === null) missing.add(place)
      if (missing.size === 0) return found
      const places = [...missing]
      const blocks = await fetch(places.map(({ path }) => path))
      for (const [i, place] of places.entries()) {
        place.block = new Block(numbersOf(blocks[i] ?? null))
        this.#cache.set(this.#name(place.path), place.block)
      }
      for (const [i, key] of keys.entries()) if (missing.has(found[i] as Place)) found[i] = this.#find(key, trie)
    }
  }

  /** Goes down to where the fingerprint belongs, because that block is not full, or to one that must be fetched first. */
  #find(key: SeenKey, trie: Trie): Found {
    const { fingerprint } = key
    const number = numberOf(fingerprint)
    let place = trie.get(key.group.name)
    if (!place) {
      place = this.#placeAt(`${key.group.name}/`)
      trie.set(key.group.name, place)
    }
    for (let depth = 0; ; depth++) {
      const { block } = place
      if (block === null) return place
      if (block.has(number)) return SEEN
      if (!block.isFull || depth === DEPTH_MAX) return place
      const digit = digitOf(fingerprint, depth)
      // Below a block that this call has filled there is none yet.
      const isNew: boolean = place.appended !== null
      place = place.below[digit] ??= this.#placeAt(`${place.path}${digit.toString(16)}`, isNew)
    }
  }

  #placeAt(path: string, isNew = false): Place {
    return new Place(path, this.#cache.get(this.#name(path)) ?? (isNew ? new Block(new Float64Array()) : null))
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
