import { liftedClickRate } from '../../../../../services/domain/auction/click-rate.ts'
import type { CampaignGroups } from '../../../port.ts'
import type { Columns } from '../columns.ts'
import { type Docs, union } from '../sorted-sets.ts'
import type { ClickRates } from './click-rates.ts'

/** The campaigns of a query, with the weight of each. */
export class CampaignSet {
  readonly byCampaign = new Map<string, number>()
  /** The greatest weight of a campaign. */
  readonly most: number
  #lists: Columns['promotionLists'] | null = null
  #byList = new Float64Array(0)

  constructor(groups: CampaignGroups) {
    for (const { campaignIds, weight } of groups) {
      for (const id of campaignIds) this.byCampaign.set(id, Math.max(weight, this.byCampaign.get(id) ?? 0))
    }
    this.most = Math.max(0, ...this.byCampaign.values())
  }

  /** By number of a list of campaigns: the best weight in that list, or NaN when it has not been computed yet. */
  byList({ promotionLists }: Columns): Float64Array {
    // Each shop numbers its lists by itself, and `clear` starts the numbers from 0 again.
    if (this.#lists !== promotionLists || promotionLists.values.length > this.#byList.length) {
      this.#lists = promotionLists
      this.#byList = blankWeights(promotionLists.values.length)
    }
    return this.#byList
  }
}

const blankWeights = (lists: number) => new Float64Array(lists).fill(Number.NaN)

export interface WeightsOf {
  /** Null when any offer is wanted, with equal weights. */
  set: CampaignSet | null
  priorClickRate: number
  /** By document, in ascending order. */
  lifts: ReadonlyMap<number, number>
  /** A campaign that is left out. */
  except?: string | null
}

/** The factor by which a query multiplies an offer's relevance: the best weight of the offer's campaigns times its click rate. */
export class Weights {
  readonly #columns: Columns
  readonly #clickRates: ClickRates
  readonly #set: CampaignSet | null
  readonly #priorClickRate: number
  readonly #lifts: ReadonlyMap<number, number>
  /** At least 1. */
  readonly #liftMost: number
  readonly #except: string | null
  readonly #byList: Float64Array
  /** Upper bound of the factor of all offers that are not in `outstanding`. */
  readonly usualMost: number
  /** The offers with the best click rates, and those with a lift. */
  readonly outstanding: Docs

  constructor(clickRates: ClickRates, columns: Columns, { set, priorClickRate, lifts, except = null }: WeightsOf) {
    this.#columns = columns
    this.#clickRates = clickRates
    this.#set = set
    this.#priorClickRate = priorClickRate
    this.#lifts = lifts
    this.#liftMost = Math.max(1, ...lifts.values())
    this.#except = except
    this.#byList =
      set !== null && except === null ? set.byList(columns) : blankWeights(columns.promotionLists.values.length)
    const { docs, usualMost } = clickRates.outstanding(priorClickRate)
    this.outstanding = lifts.size === 0 ? docs : union([docs, Int32Array.from(lifts.keys())])
    this.usualMost = (set?.most ?? 1) * usualMost
  }

  /** The factor of an offer; 0 when the offer is not wanted. */
  of(doc: number): number {
    const list = this.#columns.promotions[doc]!
    let weight = this.#byList[list]!
    if (Number.isNaN(weight)) {
      weight = this.#best(doc)
      this.#byList[list] = weight
    }
    if (weight <= 0) return 0
    const clickRate = this.#clickRates.of(doc, this.#priorClickRate)
    return weight * (this.#lifts.size === 0 ? clickRate : liftedClickRate(clickRate, this.#lifts.get(doc) ?? 1))
  }

  /**
   * The index of the first document from `from` on that may reach the key `least` with the relevance `most`; the number of documents when
   * there is none. Most documents are passed over here, so the loop reads no more than it needs.
   */
  next(docs: Docs, from: number, { most, least }: { most: number; least: number }): number {
    const { promotions } = this.#columns
    const byList = this.#byList
    for (let at = from; at < docs.length; at++) {
      const doc = docs[at]!
      const bound = byList[promotions[doc]!]! * this.#clickRates.of(doc, this.#priorClickRate) * this.#liftMost
      // A weight that has not been computed yet is NaN, and so not less.
      if (bound * most < least) continue
      return at
    }
    return docs.length
  }

  /** The campaign that gives an offer its weight. */
  leadingCampaign(doc: number): string | null {
    const byCampaign = this.#set?.byCampaign
    const ids = this.#columns.campaignsOf(doc).filter((id) => byCampaign?.has(id))
    return ids.length === 0 ? null : ids.reduce((a, b) => (byCampaign!.get(b)! > byCampaign!.get(a)! ? b : a))
  }

  #best(doc: number): number {
    const { byCampaign } = this.#set ?? {}
    if (!byCampaign) return 1
    const ids = this.#columns.campaignsOf(doc)
    return ids.reduce((most, id) => (id === this.#except ? most : Math.max(most, byCampaign.get(id) ?? 0)), 0)
  }
}
