/** A limit that an operator may set. */
interface LimitSetting {
  /** Its key in the environment. */
  setting: string
  default: number
  min: number
  max: number
}

/** The highest rate per minute that can be set; a rate of 0 means no limit. */
const RATE_MAX = 1_000_000_000

/** All entities of the registry are in the memory of every process. */
const ENTITIES_MAX = 100_000

/** Every limit that is a setting. `docs/limits.md` lists the same table; a test compares the two. */
export const limitSettings = {
  addressRequestsPerMinute: { setting: 'LIMIT_ADDRESS_REQUESTS_PER_MINUTE', default: 3_000, min: 0, max: RATE_MAX },
  addressEventsPerMinute: { setting: 'LIMIT_ADDRESS_EVENTS_PER_MINUTE', default: 6_000, min: 0, max: RATE_MAX },
  addressKibPerMinute: { setting: 'LIMIT_ADDRESS_KIB_PER_MINUTE', default: 4_096, min: 0, max: RATE_MAX },
  tokenRequestsPerMinute: { setting: 'LIMIT_TOKEN_REQUESTS_PER_MINUTE', default: 60_000, min: 0, max: RATE_MAX },
  tokenEventsPerMinute: { setting: 'LIMIT_TOKEN_EVENTS_PER_MINUTE', default: 600_000, min: 0, max: RATE_MAX },
  tokenKibPerMinute: { setting: 'LIMIT_TOKEN_KIB_PER_MINUTE', default: 524_288, min: 0, max: RATE_MAX },
  shopRequestsPerMinute: { setting: 'LIMIT_SHOP_REQUESTS_PER_MINUTE', default: 300_000, min: 0, max: RATE_MAX },
  shopEventsPerMinute: { setting: 'LIMIT_SHOP_EVENTS_PER_MINUTE', default: 300_000, min: 0, max: RATE_MAX },
  shopKibPerMinute: { setting: 'LIMIT_SHOP_KIB_PER_MINUTE', default: 131_072, min: 0, max: RATE_MAX },
  accountCampaigns: { setting: 'LIMIT_ACCOUNT_CAMPAIGNS', default: 10_000, min: 1, max: ENTITIES_MAX },
  accountShops: { setting: 'LIMIT_ACCOUNT_SHOPS', default: 200, min: 1, max: ENTITIES_MAX },
  accountPlacements: { setting: 'LIMIT_ACCOUNT_PLACEMENTS', default: 2_000, min: 1, max: ENTITIES_MAX },
  accountAdUnits: { setting: 'LIMIT_ACCOUNT_AD_UNITS', default: 5_000, min: 1, max: ENTITIES_MAX },
  accountTechnicalSlots: { setting: 'LIMIT_ACCOUNT_TECHNICAL_SLOTS', default: 20_000, min: 1, max: ENTITIES_MAX },
  accountAdFormats: { setting: 'LIMIT_ACCOUNT_AD_FORMATS', default: 1_000, min: 1, max: ENTITIES_MAX },
  accountFeeds: { setting: 'LIMIT_ACCOUNT_FEEDS', default: 200, min: 1, max: ENTITIES_MAX },
  accountUsers: { setting: 'LIMIT_ACCOUNT_USERS', default: 100, min: 1, max: ENTITIES_MAX },
  accountTokens: { setting: 'LIMIT_ACCOUNT_TOKENS', default: 100, min: 1, max: ENTITIES_MAX },
  accountSigningKeys: { setting: 'LIMIT_ACCOUNT_SIGNING_KEYS', default: 1_000, min: 1, max: ENTITIES_MAX },
  accountImages: { setting: 'LIMIT_ACCOUNT_IMAGES', default: 10_000, min: 1, max: ENTITIES_MAX },
  accountImagesMib: { setting: 'LIMIT_ACCOUNT_IMAGES_MIB', default: 4_096, min: 1, max: 1_048_576 },
  feedRunsAtOnce: { setting: 'LIMIT_FEED_RUNS', default: 8, min: 1, max: 64 },
  accountFeedRunsAtOnce: { setting: 'LIMIT_ACCOUNT_FEED_RUNS', default: 2, min: 1, max: 64 },
  accountFeedRunsWaiting: { setting: 'LIMIT_ACCOUNT_FEED_RUNS_WAITING', default: 100, min: 1, max: 1_000 },
  shopFeedUploadsMib: { setting: 'LIMIT_SHOP_FEED_UPLOADS_MIB', default: 4_096, min: 1, max: 1_048_576 },
  feedUploadsMib: { setting: 'LIMIT_FEED_UPLOADS_MIB', default: 16_384, min: 1, max: 1_048_576 },
  feedFetchSeconds: { setting: 'LIMIT_FEED_FETCH_SECONDS', default: 900, min: 10, max: 3_600 },
  feedFetchKibPerSecondMin: { setting: 'LIMIT_FEED_FETCH_KIB_PER_SECOND_MIN', default: 8, min: 1, max: 1_024 },
  headersSeconds: { setting: 'LIMIT_HEADERS_SECONDS', default: 15, min: 1, max: 600 },
  bodySeconds: { setting: 'LIMIT_BODY_SECONDS', default: 30, min: 1, max: 3_600 },
  bodyKibPerSecondMin: { setting: 'LIMIT_BODY_KIB_PER_SECOND_MIN', default: 16, min: 1, max: 1_024 },
  bodiesMib: { setting: 'LIMIT_BODIES_MIB', default: 128, min: 64, max: 65_536 },
  idleSeconds: { setting: 'LIMIT_IDLE_SECONDS', default: 72, min: 1, max: 3_600 },
} as const satisfies Record<string, LimitSetting>

/** The limits of what a sender may ask for and report in a minute. */
export type RateLimit = Extract<keyof typeof limitSettings, `${string}PerMinute`>
export const rateLimits = Object.keys(limitSettings).filter((name): name is RateLimit => name.endsWith('PerMinute'))

export type Limits = Readonly<Record<keyof typeof limitSettings, number>>

export const defaultLimits = Object.freeze(
  Object.fromEntries(Object.entries(limitSettings).map(([name, limit]) => [name, limit.default])),
) as Limits
