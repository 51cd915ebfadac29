import type { AdBid, Round } from '../ad-steps.ts'
import type { Candidate } from '../candidates/candidate.ts'
import type { CandidateList } from '../candidates/candidates.ts'
import { DEADLINE_EXCEEDED, type Deadline } from '../deadline.ts'
import type { CampaignKind } from '../eligibility/campaigns.ts'
import { findCandidates, type SearchDeps, type SearchPlan } from './search-plan.ts'

/** A truncated list that leaves places empty is requested again, this many times as long, up to the maximum. */
const CANDIDATES_GROWTH = 4
const CANDIDATES_MAX = 2000
const longer = (limit: number) => Math.min(limit * CANDIDATES_GROWTH, CANDIDATES_MAX)

type Lists = AsyncGenerator<CandidateList, typeof DEADLINE_EXCEEDED | undefined, Round<AdBid>>

/**
 * The candidates of a plan. Each list replaces the previous one. While places stay empty and there are more candidates, the
 * lists become longer. For paid places, the competitors of every winner are then added.
 */
export async function* productCandidates(
  plan: SearchPlan,
  campaignKind: CampaignKind,
  places: number,
  deadline: Deadline,
  deps: SearchDeps,
): Lists {
  let { limit } = plan
  const isFirst = campaignKind === plan.campaignKinds[0]
  let list = await (isFirst ? plan.first : findCandidates(plan, { campaignKind, limit }, deadline, deps))
  if (list === DEADLINE_EXCEEDED) return DEADLINE_EXCEEDED
  let round = yield list
  while (round.ads.length < places && !round.deadlineExceeded && list.truncated && limit < CANDIDATES_MAX) {
    limit = longer(limit)
    const found = await findCandidates(plan, { campaignKind, limit }, deadline, deps)
    if (found === DEADLINE_EXCEEDED) return DEADLINE_EXCEEDED
    list = found
    round = yield list
  }
  if (campaignKind === 'PAID' && list.truncated) yield* withCompetitors(list, round, plan, deadline, deps)
  return undefined
}

/**
 * A truncated list may end before the bid that sets a winner's price: all bids below the winner may be of the winner's own
 * campaign. Then only the campaign's competitors are searched for, and are added to the list.
 */
async function* withCompetitors(
  list: CandidateList,
  round: Round<AdBid>,
  plan: SearchPlan,
  deadline: Deadline,
  deps: SearchDeps,
): Lists {
  for (let { limit } = plan; ; limit = longer(limit)) {
    const uncontested = round.ads.find((ad) => !ad.isContested)
    if (!uncontested || round.deadlineExceeded) return undefined
    const except = uncontested.bid.campaignId
    const competitors = await findCandidates(plan, { campaignKind: 'PAID', limit, except }, deadline, deps)
    // The relevance of fallback candidates is unknown.
    if (competitors === DEADLINE_EXCEEDED || competitors.isFallback) return undefined
    const all = joinedLists(list, competitors)
    if (all.candidates.length > list.candidates.length) {
      list = all
      round = yield list
    }
    if (!competitors.truncated || limit >= CANDIDATES_MAX) return undefined
  }
}

/** Joins two lists with the same rank into one. */
function joinedLists(first: CandidateList, second: CandidateList): CandidateList {
  const bestFit = Math.max(first.bestFit, second.bestFit)
  const keyOf = ({ product: { offer } }: Candidate) => `${offer.feedId}/${offer.id}`
  const known = new Set(first.candidates.map(keyOf))
  const scaled = ({ candidates, bestFit: own }: CandidateList) =>
    own === bestFit ? candidates : candidates.map((each) => ({ ...each, relevance: (each.relevance * own) / bestFit }))
  const added = scaled(second).filter((each) => !known.has(keyOf(each)))
  return { ...first, bestFit, candidates: [...scaled(first), ...added] }
}
