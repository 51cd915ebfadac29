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
  headersSeconds: { setting: 'LIMIT_HEADERS_SECONDS', default: 15, min: 1, max: 600 },
  bodySeconds: { setting: 'LIMIT_BODY_SECONDS', default: 30, min: 1, max: 3_600 },
  bodyKibPerSecondMin: { setting: 'LIMIT_BODY_KIB_PER_SECOND_MIN', default: 16, min: 1, max: 1_024 },
  bodiesMib: { setting: 'LIMIT_BODIES_MIB', default: 128, min: 64, max: 65_536 },
  idleSeconds: { setting: 'LIMIT_IDLE_SECONDS', default: 72, min: 1, max: 3_600 },
} as const satisfies Record<string, LimitSetting>

export type Limits = Readonly<Record<keyof typeof limitSettings, number>>

export const defaultLimits = Object.freeze(
  Object.fromEntries(Object.entries(limitSettings).map(([name, limit]) => [name, limit.default])),
) as Limits
