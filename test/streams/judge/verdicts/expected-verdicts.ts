import type { Campaign } from '../../../../schemas/records/entities.ts'
import type { AdEvent } from '../../../../schemas/records/events.ts'
import { FOREIGN_MAX_PER_DAY } from '../../../../streams/judge/verdict.ts'
import { DAY_MS, HOUR_MS } from '../fixtures.ts'

/** By id: campaigns whose limits are reached in different ways. */
export const campaigns = {
  tight: { budgetMicros: 3_000, capping: 1 },
  daily: { budgetMicros: 9_000, dailyBudgetMicros: 2_000, capping: 2 },
  banner: { kind: 'DISPLAY', budgetMicros: 7, capping: 3 },
  roomy: { budgetMicros: 1_000_000_000, capping: 100 },
} as const satisfies Record<string, Partial<Campaign>>

export const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0)

/** The verdicts that events of these campaigns should get, computed by looking back over the list for each event. */
export function expectedOf(events: readonly AdEvent[]) {
  const judged: { event: AdEvent; verdict: string; billedMicros: number }[] = []
  const warsawDay = (at: number) => new Date(at + HOUR_MS).toISOString().slice(0, 10)
  for (const event of events) {
    const { claims, type, cid, uid, occurredAt } = event
    const terms: Partial<Campaign> = campaigns[claims.campaignId as keyof typeof campaigns]
    const earlier = judged.filter((each) => each.event.claims.campaignId === claims.campaignId)
    const valid = earlier.filter((each) => each.verdict === 'VALID')
    const isSameDay = (each: AdEvent) => warsawDay(each.occurredAt) === warsawDay(occurredAt)
    const sameDay = valid.filter((each) => isSameDay(each.event))
    const isForeign = (each: AdEvent) =>
      each.cid !== each.claims.cid && (each.uid === null || each.uid !== each.claims.uid)
    const foreign = judged.filter(
      (each) => each.verdict === 'VALID' && each.event.cid === cid && isForeign(each.event) && isSameDay(each.event),
    )
    const views = sameDay.filter((each) => each.event.type === 'VIEW')
    const paid = valid.filter((each) => each.event.type === 'VIEW' && !each.event.claims.autoPromo)

    const perView = claims.kind === 'DISPLAY' && type === 'VIEW' && !claims.autoPromo
    const owedThousandths = sum(paid.map((each) => each.event.claims.priceMicros)) + claims.priceMicros
    const billedMicros = perView
      ? Math.floor(owedThousandths / 1_000) - sum(valid.map((each) => each.billedMicros))
      : claims.kind === 'SPONSORED' && type === 'CLICK' && !claims.autoPromo
        ? claims.priceMicros
        : 0
    const overBudget =
      (perView ? claims.priceMicros > 0 : billedMicros > 0) &&
      (sum(valid.map((each) => each.billedMicros)) + billedMicros > terms.budgetMicros! ||
        sum(sameDay.map((each) => each.billedMicros)) + billedMicros >
          (terms.dailyBudgetMicros ?? Number.POSITIVE_INFINITY))

    const verdict = event.bot
      ? 'BOT'
      : type === 'VIEW' && occurredAt - claims.emittedAt > DAY_MS
        ? 'EXPIRED'
        : earlier.some(
              (each) =>
                !['BOT', 'EXPIRED'].includes(each.verdict) &&
                each.event.type === type &&
                each.event.claims.requestId === claims.requestId,
            )
          ? 'DUPLICATE'
          : isForeign(event) && foreign.length >= FOREIGN_MAX_PER_DAY
            ? 'REPLAYED'
            : type === 'VIEW' &&
                (views.filter((each) => each.event.cid === cid).length >= terms.capping! ||
                  (uid !== null && views.filter((each) => each.event.uid === uid).length >= terms.capping!))
              ? 'CAPPED'
              : overBudget
                ? 'OVER_BUDGET'
                : 'VALID'
    judged.push({ event, verdict, billedMicros: verdict === 'VALID' ? billedMicros : 0 })
  }
  return judged.map(({ verdict, billedMicros }) => ({ verdict, billedMicros }))
}
