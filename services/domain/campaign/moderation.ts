import type { Campaign, Moderation, ModerationDecision } from '../../../schemas/records/entities.ts'

/** Decisions kept per campaign; the oldest are dropped. The log keeps them all, in the versions of the campaign. */
const DECISIONS_KEPT_MAX = 100

/** The moderation of a creative that was submitted at `submittedAt`, after the decisions on earlier ones. */
export const submitted = (submittedAt: number, history: ModerationDecision[] = []): Moderation => ({
  state: 'IN_MODERATION',
  reason: null,
  decidedAt: null,
  decidedBy: null,
  history,
  submittedAt,
})

/** Since when a campaign waits for a decision: other changes than those of the creative do not make it wait anew. */
export const waitingSince = (campaign: { body: Pick<Campaign, 'moderation'>; updatedAt: number }): number =>
  campaign.body.moderation?.submittedAt ?? campaign.updatedAt

/** The state that keeps a campaign from running; null when it is accepted or not moderated. Only display campaigns are moderated. */
export function heldBy({ moderation }: Pick<Campaign, 'moderation'>): 'IN_MODERATION' | 'REJECTED' | null {
  const state = moderation?.state ?? 'ACCEPTED'
  return state === 'ACCEPTED' ? null : state
}

/** The moderation after a decision. */
export function afterDecision({ history, submittedAt }: Moderation, decision: ModerationDecision): Moderation {
  const { state, reason, decidedAt, decidedBy } = decision
  return {
    state,
    reason,
    decidedAt,
    decidedBy,
    history: [...history, decision].slice(-DECISIONS_KEPT_MAX),
    submittedAt,
  }
}

/** The moderation of a campaign after a change. A new creative (what is shown, and where it leads) must be moderated again. */
export function afterChange(before: Campaign, after: Campaign, now: number): Moderation | null {
  if (before.moderation === null || creativeOf(before) === creativeOf(after)) return before.moderation
  return submitted(now, before.moderation.history)
}

const creativeOf = ({ banners, targetUrl, mobileDeepLink }: Campaign): string =>
  JSON.stringify([targetUrl, mobileDeepLink, banners])
