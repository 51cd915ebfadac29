import { clickRateOf } from '../../../../../services/domain/auction/click-rate.ts'
import type { Columns } from '../columns.ts'
import type { Docs } from '../sorted-sets.ts'
import { Top } from './top.ts'

/** How many documents with the best click rates are treated apart. A few clicks give some of them several times the usual rate. */
const OUTSTANDING_MAX = 256
/** A shop's prior changes over time. After this many priors, the cache starts again. */
const PRIORS_REMEMBERED_MAX = 1_000

interface Outstanding {
  docs: Docs
  /** Upper bound of the click rates of all other documents. */
  usualMost: number
}

/** Predicted click rates of documents. */
export class ClickRates {
  readonly #columns: Columns
  readonly #outstanding = new Map<number, Outstanding>()
  #version = 0

  constructor(columns: Columns) {
    this.#columns = columns
  }

  of(doc: number, prior: number): number {
    const views = this.#columns.views[doc]!
    return views === 0 ? prior : clickRateOf(views, this.#columns.clicks[doc]!, prior)
  }

  outstanding(prior: number): Outstanding {
    if (this.#version !== this.#columns.signalsVersion || this.#outstanding.size >= PRIORS_REMEMBERED_MAX) {
      this.#outstanding.clear()
      this.#version = this.#columns.signalsVersion
    }
    const known = this.#outstanding.get(prior) ?? this.#find(prior)
    this.#outstanding.set(prior, known)
    return known
  }

  #find(prior: number): Outstanding {
    const top = new Top(OUTSTANDING_MAX)
    const { clicks, size } = this.#columns
    for (let doc = 0; doc < size; doc++) {
      if (clicks[doc] === 0) continue
      const key = this.of(doc, prior)
      if (key > prior && key > top.least) top.add({ doc, key, relevance: 1, tie: 0 })
    }
    const found = top.sorted().map(({ doc }) => doc)
    return { docs: Int32Array.from(found).sort(), usualMost: Math.max(prior, top.least) }
  }
}
