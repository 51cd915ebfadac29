import { clickRateOf } from '../../../../../services/domain/auction/click-rate.ts'
import type { CampaignGroups } from '../../../port.ts'
import type { Columns } from '../columns.ts'

/** The campaigns of a query, with the weight of each. */
export class CampaignSet {
  readonly byCampaign = new Map<string, number>()
  /** No campaign has more. */
  readonly most: number
  #lists: Columns['promotionLists'] | null = null
  #byList = new Float64Array(0)

  constructor(groups: CampaignGroups) {
    for (const { campaignIds, weight } of groups) {
      for (const id of campaignIds) this.byCampaign.set(id, Math.max(weight, this.byCampaign.get(id) ?? 0))
    }
    this.most = Math.max(0, ...this.byCampaign.values())
  }

  /** By list of campaigns, what has been computed of the best weight on it; NaN: nothing yet. */
  byList({ promotionLists }: Columns): Float64Array {
    // `clear` starts the numbers of lists from 0 again.
    if (this.#lists !== promotionLists || promotionLists.values.length > this.#byList.length) {
      this.#lists = promotionLists
      this.#byList = blankWeights(promotionLists.values.length)
    }
    return this.#byList
  }
}

const blankWeights = (lists: number) => new Float64Array(lists).fill(Number.NaN)

/** What the relevance of an offer is multiplied by in a query: the best weight of its campaigns times its click rate. */
export class Weights {
  readonly #columns: Columns
  readonly #set: CampaignSet | null
  readonly #priorClickRate: number
  /** A campaign that is left out. */
  readonly #except: string | null
  readonly #byList: Float64Array
  /** No offer has more. */
  readonly most: number

  /** @param set null: any offer is wanted, and all weigh the same. */
  constructor(columns: Columns, set: CampaignSet | null, priorClickRate: number, except: string | null = null) {
    this.#columns = columns
    this.#set = set
    this.#priorClickRate = priorClickRate
    this.#except = except
    this.#byList =
      set !== null && except === null ? set.byList(columns) : blankWeights(columns.promotionLists.values.length)
    this.most = (set?.most ?? 1) * columns.clickRates.max(priorClickRate)
  }

  /** 0: the offer is not wanted. */
  of(doc: number): number {
    const list = this.#columns.promotions[doc]!
    let weight = this.#byList[list]!
    if (Number.isNaN(weight)) {
      weight = this.#best(doc)
      this.#byList[list] = weight
    }
    if (weight <= 0) return 0
    const views = this.#columns.views[doc]!
    const prior = this.#priorClickRate
    return weight * (views === 0 ? prior : clickRateOf(views, this.#columns.clicks[doc]!, prior))
  }

  /** The campaign of an offer that gives it its weight. */
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
