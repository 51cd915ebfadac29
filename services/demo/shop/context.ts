import type { AdLabels } from '../../domain/ad-labels.ts'
import type { Units } from '../load/units.ts'
import type { Basket } from './basket.ts'
import type { Shelf } from './shelf.ts'

/** The dependencies of the shop front. */
export interface ShopDeps {
  shelf: Shelf
  /** Where browsers reach the ad server. */
  adServer: string
  shopId: string
  units: Units
  uuid: () => string
}

/** One request of a visitor for a page. */
export interface ShopVisit extends ShopDeps {
  /** Path and query. */
  url: string
  cid: string
  /** The id of the signed-in demo shopper. */
  uid: string | null
  basket: Basket
  /** The labels of ads, in the language that the visitor chose. */
  labels: AdLabels
  assets: string
}

/** The two people that a visitor can sign in as. */
export const SHOPPERS = [
  { uid: 'alex', name: 'Alex' },
  { uid: 'sam', name: 'Sam' },
] as const
