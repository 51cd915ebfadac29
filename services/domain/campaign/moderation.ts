import type { Campaign, Moderation, ModerationDecision } from '../../../schemas/records/entities.ts'

/** Decisions kept per campaign; the oldest are dropped. The log keeps them all, in the versions of the campaign. */
const DECISIONS_KEPT_MAX = 100

export const NOT_MODERATED: Moderation = {
  state: 'IN_MODERATION',
  reason: null,
  decidedAt: null,
  decidedBy: null,
  history: [],
}

/** The state that keeps a campaign from running; null when it is accepted or not moderated. Only display campaigns are moderated. */
export function heldBy({ moderation }: Pick<Campaign, 'moderation'>): 'IN_MODERATION' | 'REJECTED' | null {
  const state = moderation?.state ?? 'ACCEPTED'
  return state === 'ACCEPTED' ? null : state
}

/** The moderation after a decision. */
export function afterDecision({ history }: Moderation, decision: ModerationDecision): Moderation {
  const { state, reason, decidedAt, decidedBy } = decision
  return { state, reason, decidedAt, decidedBy, history: [...history, decision].slice(-DECISIONS_KEPT_MAX) }
}

/** The moderation of a campaign after a change. A new creative (what is shown, and where it leads) must be moderated again. */
export function afterChange(before: Campaign, after: Campaign): Moderation | null {
  if (before.moderation === null || creativeOf(before) === creativeOf(after)) return before.moderation
  return { ...NOT_MODERATED, history: before.moderation.history }
}

const creativeOf = ({ banners, targetUrl, mobileDeepLink }: Campaign): string =>
  JSON.stringify([targetUrl, mobileDeepLink, banners])
