import {
  type Counters,
  CountersBehind,
  CountersMoved,
  type LoadedShard,
  type ShardChange,
  type ShardLoad,
  type SourceInShard,
} from '../../infra/counters/port.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { CampaignCounters } from './counted/campaign-counters.ts'
import { type Counter, CounterTable } from './counted/counter-table.ts'
import { Owners } from './counted/owners.ts'
import { type Seen, SeenTable } from './counted/seen-table.ts'
import { StepLimits } from './counted/step-limits.ts'
import { type Counted, type Window, Windows } from './counted/windows.ts'
import { askWith, type CounterChanges, type CounterQuestions, type CounterValues, type Step } from './step.ts'

/** The name under which the counters remember how far a partition of a topic is applied. */
export function sourceOf(
  topic: Extract<TopicName, 'ad-events' | 'corrections' | 'spend-checkpoints'>,
  partition: number,
): string {
  return `${topic}/${partition}`
}

/** The changes of a batch that counts nothing in a shard. */
export const NOTHING_COUNTED = { add: [], tally: [], lower: [], seen: [], released: [] }

/** The position of a source in a shard, and the note of its last batch. */
export async function readNote(
  counters: Pick<Counters, 'load'>,
  source: SourceInShard,
): Promise<Pick<LoadedShard, 'position' | 'note'>> {
  const [loaded] = await counters.load([{ ...source, after: -1, keys: [], tallies: [], seen: [] }])
  return loaded!
}

/** What a batch knows of one shard. */
interface Shard {
  /** The last offset of the source that the shard has counted already. */
  position: number
  seenNew: Seen[]
  released: { key: string; holder: string }[]
}

/**
 * The counters of one batch of a source: the values that were loaded, and the changes that the batch's events make. An event changes
 * only shards that have not counted its offset yet, so a batch that is repeated changes only the rest.
 *
 * Steps refer to counters, windows and seen keys by numbers that are assigned here. The data of each is kept in lists, by number.
 */
export class BatchCounters implements CounterQuestions, CounterValues, CounterChanges {
  readonly owners: Owners
  readonly windows: Windows
  readonly counters: CounterTable
  readonly seen = new SeenTable()
  /** Of the step that is being made. */
  readonly limits = new StepLimits()
  readonly #money = new Map<string, CampaignCounters>()
  readonly #source: string
  /** The shard of the campaigns and of the seen keys. */
  readonly #own: number
  readonly #shards: ReadonlyMap<number, Shard>
  /** By shard: whether the batch may change anything in it that it does not read. */
  readonly #isChanging: boolean[] = []
  /** The shards that are loaded: those that the batch may read or change. */
  #loaded: number[] = []
  #offset = -1
  /** The shard of the campaign whose event is being counted. */
  #campaigns: Shard

  /** @param shards all shards that events of the source may count in. @param now gives UTC epoch milliseconds. */
  constructor(batch: { source: string; own: number; shards: readonly number[]; now: () => number }) {
    const { source, own, shards, now } = batch
    this.owners = new Owners(shards.length)
    this.windows = new Windows(this.owners, now)
    this.counters = new CounterTable(this.owners, shards)
    this.#source = source
    this.#own = own
    this.#shards = new Map(shards.map((shard) => [shard, { position: -1, seenNew: [], released: [] }]))
    this.#campaigns = this.#shards.get(own)!
  }

  /** The counters of a campaign of the own shard. */
  campaign(campaignId: string): CampaignCounters {
    let campaign = this.#money.get(campaignId)
    if (campaign === undefined) {
      campaign = new CampaignCounters(this.counters, this.#own, campaignId)
      this.#money.set(campaignId, campaign)
    }
    return campaign
  }

  /** Asks for everything that deciding the step reads. */
  expect(step: Step): void {
    askWith(step, this)
  }

  asked(counter: Counter): void {
    this.counters.ask(counter)
  }

  askedWindow(window: Window): void {
    this.windows.ask(window)
  }

  askedSeen(seen: Seen): void {
    this.seen.ask(seen)
  }

  changing(counter: Counter): void {
    this.#isChanging[this.counters.keys[counter]!.shard] = true
  }

  changingWindow(window: Window): void {
    this.#isChanging[this.windows.shard(window)] = true
  }

  /** What to load of every shard that the batch may read or change. The others need not be asked. */
  loads(after: number): ShardLoad[] {
    const loads = Array.from(this.#shards.keys(), (shard): ShardLoad => {
      const isOwn = shard === this.#own
      return {
        ...{ shard, source: this.#source, after: isOwn ? after : -1 },
        keys: this.counters.loads(shard),
        tallies: this.windows.loads(shard),
        seen: isOwn ? this.seen.loads() : [],
      }
    }).filter(({ shard, keys, tallies }) => {
      return shard === this.#own || keys.length + tallies.length > 0 || this.#isChanging[shard]
    })
    this.#loaded = loads.map(({ shard }) => shard)
    return loads
  }

  /** @param loaded what `loads` has asked for. @returns what was loaded of the own shard. */
  take(loaded: readonly LoadedShard[]): LoadedShard {
    for (const [i, { position, values, tallies, seen }] of loaded.entries()) {
      const shard = this.#loaded[i]!
      this.#shards.get(shard)!.position = position
      this.counters.take(shard, values)
      this.windows.take(shard, tallies)
      if (shard === this.#own) this.seen.take(seen)
    }
    return loaded[this.#loaded.indexOf(this.#own)]!
  }

  /**
   * @param least the position that each shard must have reached.
   * @returns the position of each shard: as loaded, or `least` where the shard was not loaded.
   * @throws CountersBehind when a loaded shard stands before its `least`, because it has lost something.
   */
  requireStands(least: readonly number[]): number[] {
    const stands = [...least]
    for (const shard of this.#loaded) {
      const { position } = this.#shards.get(shard)!
      if (position < least[shard]!) throw new CountersBehind(`Shard ${shard} stands at ${position} of ${this.#source}`)
      stands[shard] = position
    }
    return stands
  }

  /** Begins the changes of the event at this offset, whose campaign is in this shard. */
  at(offset: number, shard = this.#own): void {
    this.#offset = offset
    this.#campaigns = this.#shards.get(shard)!
  }

  value(counter: Counter): number {
    return this.counters.values[counter]!
  }

  tallied(window: Window, counted: Counted): number {
    return this.windows.value(window, counted)
  }

  isSeen(seen: Seen): boolean {
    return this.seen.isSeen[seen]!
  }

  add(counter: Counter, amount: number): void {
    if (amount !== 0 && this.#isNew(this.counters.keys[counter]!.shard)) this.counters.add(counter, amount)
  }

  tally(window: Window, counted: Counted, amount: number): void {
    if (amount !== 0 && this.#isNew(this.windows.shard(window))) this.windows.add(window, counted, amount)
  }

  lower(counter: Counter, value: number): void {
    if (this.#isNew(this.counters.keys[counter]!.shard)) this.counters.lower(counter, value)
  }

  see(seen: Seen): void {
    if (this.#offset > this.#campaigns.position && this.seen.see(seen)) this.#campaigns.seenNew.push(seen)
  }

  release(reservations: Step['releases']): void {
    if (this.#offset > this.#campaigns.position) this.#campaigns.released.push(...reservations)
  }

  /** The change of the campaigns' own shard; null when that shard has counted the whole batch already. */
  ownChange(upTo: number, note: string | null): ShardChange | null {
    return this.#change(this.#own, upTo, note)
  }

  /** The changes of the other shards that the batch counts in: those of people, addresses and others that are counted by name. */
  otherChanges(upTo: number): ShardChange[] {
    const others = this.#loaded.filter((shard) => shard !== this.#own)
    return others.flatMap((shard) => this.#change(shard, upTo, null) ?? []).filter(countsAnything)
  }

  #change(shard: number, upTo: number, note: string | null): ShardChange | null {
    const { position, seenNew, released } = this.#shards.get(shard)!
    if (position >= upTo) return null
    return {
      ...{ shard, source: this.#source, after: position, upTo, note },
      ...this.counters.changes(shard),
      tally: this.windows.changes(shard),
      seen: seenNew.map((seen) => this.seen.keys[seen]!),
      released,
    }
  }

  /** Whether the shard has not counted the event yet. */
  #isNew(shard: number): boolean {
    return this.#offset > this.#shards.get(shard)!.position
  }
}

const countsAnything = ({ add, tally, lower }: ShardChange) => add.length + tally.length + lower.length > 0

/** How many attempts a batch gets when somebody else stores parts of it meanwhile. */
const ATTEMPTS_MAX = 5

/** Repeats the work when somebody else has moved the counters on. Each attempt begins with what is stored then. */
export async function retryWhenMoved<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CountersMoved) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}
