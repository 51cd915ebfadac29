import type { TrafficRuleMode, TrafficRuleSetting } from '../../schemas/records/entities.ts'
import { TRAFFIC_RULES, type TrafficRuleName } from '../../schemas/records/traffic-rules.ts'

/** `max` is null for a rule without a number. */
export type TrafficRules = Readonly<Record<TrafficRuleName, { mode: TrafficRuleMode; max: number | null }>>

/** The rules against invalid traffic of a shop that sets none. `docs/traffic-quality.md` explains them. */
export const defaultTrafficRules: TrafficRules = {
  /** Clicks of one address in an hour, beyond those that views by the people there have earned. */
  ADDRESS_CLICKS: { mode: 'REFUSE', max: 2 },
  /** The same of one User-Agent in one network. */
  AGENT_CLICKS: { mode: 'REFUSE', max: 6 },
  /** The same of one network. */
  NETWORK_CLICKS: { mode: 'REFUSE', max: 20 },
  /** Newcomers of one address in an hour who view display ads. */
  ADDRESS_PEOPLE: { mode: 'REFUSE', max: 20 },
  /** Views of display ads by newcomers of one address in an hour. */
  ADDRESS_VIEWS: { mode: 'REFUSE', max: 200 },
  /** Clicks of one cid in an hour. */
  CID_CLICKS: { mode: 'REFUSE', max: 60 },
  /** Views of display ads by one cid in an hour. */
  CID_VIEWS: { mode: 'REFUSE', max: 600 },
  /** Clicks in an hour of a cid that has not viewed anything. */
  CLICKS_ONLY: { mode: 'MARK', max: 5 },
  /** A click sooner after the ad was served than a person can click. */
  TOO_FAST: { mode: 'MARK', max: null },
  /** A click without a view of the ad, where the ad unit's views are reported. */
  NO_VIEW: { mode: 'MARK', max: null },
}

export const isTrafficRule = (name: string): name is TrafficRuleName =>
  (TRAFFIC_RULES as readonly string[]).includes(name)

/** The rules of a shop: its own settings over the defaults. */
export function trafficRulesOf(settings: readonly TrafficRuleSetting[]): TrafficRules {
  const own = new Map(settings.map((setting) => [setting.rule, setting]))
  const ruleOf = (name: TrafficRuleName) => {
    const { mode, max } = defaultTrafficRules[name]
    return { mode: own.get(name)?.mode ?? mode, max: max === null ? null : (own.get(name)?.max ?? max) }
  }
  return Object.fromEntries(TRAFFIC_RULES.map((name) => [name, ruleOf(name)])) as TrafficRules
}
