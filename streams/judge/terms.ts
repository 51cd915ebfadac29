import type { AdEvent } from '../../schemas/records/events.ts'
import { memoized } from '../../services/domain/memoized.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { trafficRulesOf } from '../../services/domain/traffic-rules.ts'
import { WINDOWS_MS } from './traffic.ts'
import type { Terms } from './verdict.ts'

/** By the list of settings itself, which does not change. */
const rulesOf = memoized(trafficRulesOf)

/** A deleted campaign or shop keeps its last terms. Null: it was never known. */
export function termsOf({ claims }: AdEvent, snapshot: Snapshot): Terms | null {
  const campaign = snapshot.getEver('Campaign', claims.campaignId)?.body
  const shop = snapshot.getEver('Shop', claims.shopId)?.body
  if (!campaign || !shop) return null
  const { capping, budgetMicros, dailyBudgetMicros } = campaign
  const traffic = rulesOf(shop.invalidTraffic)
  return { capping, budgetMicros, dailyBudgetMicros, timeZone: shop.timeZone, traffic }
}

/** The terms to count an event by that was judged by earlier ones: they say only what is counted. */
export function recountingTermsOf(event: AdEvent, snapshot: Snapshot, now: number): Terms {
  const terms = termsOf(event, snapshot)
  if (!terms)
    throw new Error(`The registry does not know campaign ${event.claims.campaignId}, whose events were judged`)
  return event.receivedAt > now - WINDOWS_MS ? terms : { ...terms, traffic: null }
}
