/** A limit that an operator may set. */
interface LimitSetting {
  /** Its key in the environment. */
  setting: string
  default: number
  min: number
  max: number
}

/** Every limit that is a setting. `docs/limits.md` lists the same table; a test holds the two together. */
export const limitSettings = {
  feedRunsAtOnce: { setting: 'LIMIT_FEED_RUNS', default: 8, min: 1, max: 64 },
  accountFeedRunsAtOnce: { setting: 'LIMIT_ACCOUNT_FEED_RUNS', default: 2, min: 1, max: 64 },
  accountFeedRunsWaiting: { setting: 'LIMIT_ACCOUNT_FEED_RUNS_WAITING', default: 100, min: 1, max: 1_000 },
  feedFetchSeconds: { setting: 'LIMIT_FEED_FETCH_SECONDS', default: 900, min: 10, max: 3_600 },
  feedFetchKibPerSecondMin: { setting: 'LIMIT_FEED_FETCH_KIB_PER_SECOND_MIN', default: 8, min: 1, max: 1_024 },
} as const satisfies Record<string, LimitSetting>

export type Limits = Readonly<Record<keyof typeof limitSettings, number>>

export const defaultLimits = Object.freeze(
  Object.fromEntries(Object.entries(limitSettings).map(([name, limit]) => [name, limit.default])),
) as Limits
