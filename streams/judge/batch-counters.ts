import { fingerprintIn } from '../../infra/counters/fingerprint.ts'
import { FingerprintMap } from '../../infra/counters/fingerprint-map.ts'
import {
  type CounterGroup,
  type CounterKey,
  CountersMoved,
  type LoadedShard,
  type SeenKey,
  type ShardChange,
  type ShardLoad,
} from '../../infra/counters/port.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { askWith, type CounterChanges, type CounterQuestions, type CounterValues, type Step } from './step.ts'
import { BatchTallies } from './windows/batch-tallies.ts'
import type { Counted, WindowTallies } from './windows/windows.ts'

/** The name under which the counters remember how far a partition of a topic is applied. */
export function sourceOf(
  topic: Extract<TopicName, 'ad-events' | 'corrections' | 'spend-checkpoints'>,
  partition: number,
): string {
  return `${topic}/${partition}`
}

interface Cell {
  key: CounterKey
  isLoaded: boolean
  isChanged: boolean
  /** What was loaded, with the changes of the batch. */
  value: number
  added: number
  lowered: number | null
  /** The counter of another group with the same id. Ids that are exact may share a fingerprint. */
  readonly next: Cell | null
}

interface SeenCell {
  key: SeenKey
  isLoaded: boolean
  isSeen: boolean
  isNew: boolean
}

/** One shard as a batch knows it. */
interface Shard {
  /** The last offset of the source that the shard holds already. */
  position: number
  /** The last cell of each id; the others follow it. */
  cells: FingerprintMap<Cell>
  toLoad: Cell[]
  changed: Cell[]
  seenNew: SeenCell[]
  released: { key: string; holder: string }[]
}

/**
 * The counters of one batch of a source: what was loaded of them, and what the events of the batch change. An event changes
 * only shards that do not hold its offset yet, so a batch that comes again changes the rest.
 */
export class BatchCounters implements CounterQuestions, CounterValues, CounterChanges {
  readonly #source: string
  /** The shard of the campaigns, and of what was seen. */
  readonly #own: number
  readonly #shards: ReadonlyMap<number, Shard>
  /** What is forgotten by then is not counted, UTC epoch milliseconds. */
  readonly #now: number
  /** By the name of the group. */
  readonly #seen = new Map<string, FingerprintMap<SeenCell>>()
  readonly #seenToLoad: SeenCell[] = []
  readonly #tallies = new BatchTallies()
  #offset = -1
  /** The shard of the campaign whose event is counted. */
  #campaigns: Shard

  /** @param shards all that the events of the source may count in. */
  constructor(options: { source: string; own: number; shards: readonly number[]; now?: number }) {
    this.#source = options.source
    this.#own = options.own
    this.#now = options.now ?? Number.NEGATIVE_INFINITY
    this.#shards = new Map(
      options.shards.map((shard) => [
        shard,
        { position: -1, cells: new FingerprintMap(), toLoad: [], changed: [], seenNew: [], released: [] },
      ]),
    )
    this.#campaigns = this.#shards.get(this.#own)!
  }

  /** Asks for all that deciding the step reads. */
  expect(step: Step): void {
    askWith(step, this)
  }

  asked(key: CounterKey): void {
    const cell = this.#cell(key)
    if (cell.isLoaded) return
    cell.isLoaded = true
    this.#shards.get(key.shard)!.toLoad.push(cell)
  }

  askedTallies(tallies: WindowTallies): void {
    this.#tallies.asked(tallies)
  }

  askedSeen(key: SeenKey): void {
    const cell = this.#seenCell(key)
    if (cell.isLoaded) return
    cell.isLoaded = true
    this.#seenToLoad.push(cell)
  }

  /** What to load of every shard. */
  loads(after: number): ShardLoad[] {
    return [...this.#shards].map(([shard, { toLoad }]) => ({
      ...{ shard, source: this.#source, after },
      keys: toLoad.map(({ key }) => key),
      tallies: this.#tallies.loads(shard),
      seen: shard === this.#own ? this.#seenToLoad.map(({ key }) => key) : [],
    }))
  }

  /** @param loaded what `loads` has asked for. @returns what was loaded of the own shard. */
  take(loaded: readonly LoadedShard[]): LoadedShard {
    const shards = [...this.#shards.keys()]
    for (const [i, { position, values, tallies, seen }] of loaded.entries()) {
      const shard = this.#shards.get(shards[i]!)!
      shard.position = position
      for (let j = 0; j < values.length; j++) shard.toLoad[j]!.value = values[j]!
      for (let j = 0; j < seen.length; j++) this.#seenToLoad[j]!.isSeen = seen[j]!
      this.#tallies.take(shards[i]!, tallies)
    }
    return loaded[shards.indexOf(this.#own)]!
  }

  /** The position that each shard stands at, for who knows it without loading. */
  takePositions(positions: readonly number[]): void {
    for (const [i, shard] of [...this.#shards.values()].entries()) shard.position = positions[i]!
  }

  /** The changes that follow are those of the event at this offset, of a campaign of this shard. */
  at(offset: number, shard = this.#own): void {
    this.#offset = offset
    this.#campaigns = this.#shards.get(shard)!
  }

  value(key: CounterKey): number {
    return this.#cell(key).value
  }

  tallied(tallies: WindowTallies, counted: Counted): number {
    return this.#tallies.value(tallies, counted)
  }

  isSeen(key: SeenKey): boolean {
    return this.#seenCell(key).isSeen
  }

  add(key: CounterKey, amount: number): void {
    const shard = this.#shards.get(key.shard)!
    if (amount === 0 || this.#offset <= shard.position || this.#isForgotten(key.group)) return
    const cell = this.#cell(key)
    markChanged(shard, cell)
    cell.added += amount
    cell.value += amount
  }

  tally(tallies: WindowTallies, counted: Counted, amount: number): void {
    const { shard: owner, group } = tallies.current.key
    const shard = this.#shards.get(owner)!
    if (amount === 0 || this.#offset <= shard.position || this.#isForgotten(group)) return
    this.#tallies.add(tallies, counted, amount)
  }

  lower(key: CounterKey, value: number): void {
    const shard = this.#shards.get(key.shard)!
    if (this.#offset <= shard.position || this.#isForgotten(key.group)) return
    const cell = this.#cell(key)
    if (cell.value > 0 && cell.value <= value) return
    markChanged(shard, cell)
    cell.lowered = value
    cell.value = value
  }

  see(key: SeenKey): void {
    if (this.#offset <= this.#campaigns.position || this.#isForgotten(key.group)) return
    const cell = this.#seenCell(key)
    if (cell.isNew) return
    cell.isNew = true
    cell.isSeen = true
    this.#campaigns.seenNew.push(cell)
  }

  release(reservations: Step['releases']): void {
    if (this.#offset > this.#campaigns.position) this.#campaigns.released.push(...reservations)
  }

  /** The change of the campaigns' own shard; null: it holds the whole batch already. */
  ownChange(upTo: number, note: string | null): ShardChange | null {
    return this.#change(this.#own, upTo, note)
  }

  /** The changes of the other shards: those of people, and in a recount of campaigns that have moved to other partitions. */
  otherChanges(upTo: number): ShardChange[] {
    const others = [...this.#shards.keys()].filter((shard) => shard !== this.#own)
    return others.flatMap((shard) => this.#change(shard, upTo, null) ?? [])
  }

  #change(shard: number, upTo: number, note: string | null): ShardChange | null {
    const { position, changed, seenNew, released } = this.#shards.get(shard)!
    if (position >= upTo) return null
    return {
      shard,
      source: this.#source,
      after: position,
      upTo,
      note,
      add: changed.filter(({ added }) => added !== 0).map(({ key, added }) => ({ key, amount: added })),
      tally: this.#tallies.changes(shard),
      lower: changed.filter(({ lowered }) => lowered !== null).map(({ key, lowered }) => ({ key, value: lowered! })),
      seen: seenNew.map(({ key }) => key),
      released,
    }
  }

  #isForgotten({ keptUntil }: Pick<CounterGroup, 'keptUntil'>): boolean {
    return keptUntil !== null && keptUntil <= this.#now
  }

  #cell(key: CounterKey): Cell {
    const { cells } = this.#shards.get(key.shard)!
    const fingerprint = fingerprintIn(key)
    const last = cells.get(fingerprint) ?? null
    for (let cell = last; cell !== null; cell = cell.next) if (isSame(cell.key, key)) return cell
    const cell = { key, isLoaded: false, isChanged: false, value: 0, added: 0, lowered: null, next: last }
    cells.set(fingerprint, cell)
    return cell
  }

  #seenCell(key: SeenKey): SeenCell {
    const { name } = key.group
    let ofGroup = this.#seen.get(name)
    if (!ofGroup) {
      ofGroup = new FingerprintMap()
      this.#seen.set(name, ofGroup)
    }
    const known = ofGroup.get(key.fingerprint)
    if (known) return known
    const cell = { key, isLoaded: false, isSeen: false, isNew: false }
    ofGroup.set(key.fingerprint, cell)
    return cell
  }
}

function markChanged(shard: Shard, cell: Cell): void {
  if (!cell.isChanged) shard.changed.push(cell)
  cell.isChanged = true
}

/** Of two keys with one fingerprint. */
function isSame(one: CounterKey, other: CounterKey): boolean {
  if (one.group !== other.group && one.group.name !== other.group.name) return false
  return !one.group.exact || one.id === other.id
}

/** How often a batch is loaded again, because somebody else has stored a part of it meanwhile. */
const ATTEMPTS_MAX = 5

/** Does the work again when somebody else has moved the counters on; the next attempt begins with what is stored then. */
export async function retryWhenMoved<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CountersMoved) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}
