/** Names of the rules against invalid traffic, and the reasons of INVALID_TRAFFIC. */
export const TRAFFIC_RULES = [
  'ADDRESS_CLICKS',
  'AGENT_CLICKS',
  'NETWORK_CLICKS',
  'ADDRESS_PEOPLE',
  'ADDRESS_VIEWS',
  'CID_CLICKS',
  'CID_VIEWS',
  'CLICKS_ONLY',
  'TOO_FAST',
  'NO_VIEW',
] as const

export type TrafficRuleName = (typeof TRAFFIC_RULES)[number]
