import type { Campaign } from '../../../client/types.ts'

const SUGGESTED_MAX = 6

/** The reasons that campaigns were rejected with, each once, the latest first. */
export function recentReasons(campaigns: readonly Campaign[]): string[] {
  const decisions = campaigns.flatMap(({ moderation }) => moderation?.history ?? [])
  const latest = decisions.toSorted((a, b) => b.decidedAt.localeCompare(a.decidedAt))
  const reasons = latest.flatMap(({ reason }) => (reason === null ? [] : [reason]))
  return [...new Set(reasons)].slice(0, SUGGESTED_MAX)
}
