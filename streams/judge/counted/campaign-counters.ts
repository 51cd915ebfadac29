import { dailySpendKey, spendKey, thousandthsKey } from '../../../services/domain/money/counter-keys.ts'
import { settledKey } from '../../../services/domain/money/in-flight.ts'
import type { Counter, CounterTable } from './counter-table.ts'

/** The counters of what a campaign is billed. Each is looked up once a batch, because most events of a campaign share them. */
export class CampaignCounters {
  /** Micros billed in all. */
  readonly spend: Counter
  /** Thousandths of a micro that are not billed yet. */
  readonly thousandths: Counter
  readonly #counters: CounterTable
  readonly #shard: number
  readonly #id: string
  readonly #byDay = new Map<string, Counter>()
  readonly #byBucket = new Map<number, Counter>()

  constructor(counters: CounterTable, shard: number, campaignId: string) {
    this.#counters = counters
    this.#shard = shard
    this.#id = campaignId
    this.spend = counters.of(spendKey(shard, campaignId))
    this.thousandths = counters.of(thousandthsKey(shard, campaignId))
  }

  dailySpend(day: string): Counter {
    const known = this.#byDay.get(day)
    if (known !== undefined) return known
    const counter = this.#counters.of(dailySpendKey(this.#shard, this.#id, day))
    this.#byDay.set(day, counter)
    return counter
  }

  /** Micros billed, while in flight, for ads of a bucket. */
  settled(bucket: number): Counter {
    const known = this.#byBucket.get(bucket)
    if (known !== undefined) return known
    const counter = this.#counters.of(settledKey(this.#shard, this.#id, bucket))
    this.#byBucket.set(bucket, counter)
    return counter
  }
}
