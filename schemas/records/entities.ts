/**
 * What the topic `registry` holds: accounts, shops, campaigns and everything else that is managed.
 * Units: `…Micros` are millionths of the shop's currency, `…At` are UTC epoch milliseconds. Missing is null.
 */

import type { Account, ReportView, Token, User } from './accounts.ts'

export interface Shop {
  accountId: string
  name: string
  currency: string
  lang: string
  country: string
  /** IANA name; days of caps, budgets and reports are days of this zone. */
  timeZone: string
  clickWindowHours: number
  viewWindowHours: number
  reserveCpcMicros: number
  transactionTrust: TransactionTrust
  /** Settings of rules against invalid traffic that differ from the defaults, at most one of each rule. */
  invalidTraffic: TrafficRuleSetting[]
  /** Names that mean the same to its shoppers, as text: `services/domain/catalogue/shop-synonyms.ts`. */
  synonyms: string
}

/** What a rule does to an event that breaks it. OFF: counts it only. MARK: marks it, but it stays valid. REFUSE: INVALID_TRAFFIC. */
export type TrafficRuleMode = 'OFF' | 'MARK' | 'REFUSE'

export interface TrafficRuleSetting {
  /** A name of `services/domain/traffic-rules.ts`; an unknown name has no effect. */
  rule: string
  mode: TrafficRuleMode
  /** Null for the default number, or when the rule has no number. */
  max: number | null
}

/** Which purchases are credited. OPEN: all. PREFER_SIGNED: all, unproven senders marked. SIGNED_ONLY: only those of proven senders. */
export type TransactionTrust = 'OPEN' | 'PREFER_SIGNED' | 'SIGNED_ONLY'

export interface Placement {
  shopId: string
  name: string
  kind: 'PRODUCT' | 'DISPLAY'
}

export type SponsoredAlgorithm =
  | 'BESTSELLERS'
  | 'BESTSELLERS_WIDE'
  | 'CONTEXT_MATCH'
  | 'CONTEXT_MATCH_WIDE'
  | 'SIMILAR_CATEGORIES_AND_TITLES'
  | 'SIMILAR_CATEGORIES_AND_TITLES_WIDE'
  | 'SIMILAR_TITLES'
  | 'SIMILAR_TITLES_WIDE'
  | 'SIMILAR_CATEGORIES'
  | 'SIMILAR_CATEGORIES_WIDE'
  | 'SIMILAR_PRODUCT_ID'
  | 'SIMILAR_PRODUCT_ID_WIDE'
  | 'ALSO_BOUGHT'
  | 'EXACT_PRODUCT_ID'
export type DisplayAlgorithm = 'DISPLAY' | 'DISPLAY_PHRASE_OR_CATEGORY'
export type Algorithm = SponsoredAlgorithm | DisplayAlgorithm

export interface AdUnit {
  placementId: string
  shopId: string
  name: string
  algorithm: Algorithm
  status: 'ACTIVE' | 'INACTIVE'
  adFormatIds: string[]
  /** Display: the request parameters that count as targeting. */
  targeting: string[]
}

/** The unit's entity id is its slotHash; technical ad units are registered by API on top of a business ad unit. */
export interface TechnicalSlot {
  accountId: string
  publisherSlotId: string
  shopId: string
  name: string
  status: 'ACTIVE' | 'INACTIVE'
  /** The ad unit whose algorithm, placement and format rules apply. */
  businessSlotId: string
  adFormatIds: string[]
  country: string | null
  street: string | null
  city: string | null
  postalCode: string | null
}

export interface Feed {
  shopId: string
  name: string
  /** Null when offers arrive only by upload or by the product update API. */
  url: string | null
  currency: string
  lang: string | null
  /** `etag` and `lastModified` of the last complete fetch, for the next conditional one. */
  etag: string | null
  lastModified: string | null
  /** SHA-256 of the content fetched last, base64url; null when the offers of the feed may differ from that content. */
  contentHash: string | null
  /** HTTP Basic authentication of the fetch. The password is never shown again. */
  username: string | null
  password: string | null
  /** The run whose uploaded content is kept, so that it can be read again; null when none is kept. */
  keptUpload: string | null
}

export interface FeedRun {
  feedId: string
  shopId: string
  trigger: 'UPLOAD' | 'SCHEDULE' | 'MANUAL'
  status: 'QUEUED' | 'RUNNING' | 'DONE' | 'HELD' | 'FAILED'
  total: number
  changed: number
  unchanged: number
  removed: number
  rejected: number
  warnings: number
  /** Issues counted per code. */
  issueCounts: Record<string, number>
  /** Why it is HELD or FAILED. */
  message: string | null
  queuedAt: number
  startedAt: number | null
  endedAt: number | null
  /** The feed's currency when it was read; null when unknown. */
  currency: string | null
  /** Items refused for a price in another currency, counted by that currency; only the first of very many currencies. */
  rejectedCurrencies: Record<string, number>
  /** Items refused for a missing field, counted by field. */
  missingFields: Record<string, number>
  /** A `FailureCode`: the kind of failure that `message` describes; null when there was none, or it is unknown. */
  failure: string | null
  /** The earlier run whose content this run found unchanged, and whose issues still hold; null when the run has its own issues. */
  issuesRunId: string | null
}

/** Everything that is set must hold; of a list, any one value. */
export interface ProductRule {
  brands: string[]
  categoryPaths: string[]
  labels: string[]
  sellerIds: string[]
  priceMinMicros: number | null
  priceMaxMicros: number | null
}

export interface Campaign {
  kind: 'SPONSORED' | 'DISPLAY'
  accountId: string
  shopId: string
  name: string
  startAt: number
  endAt: number | null
  /** The switch. The state of the campaign at a moment follows from the switch, the dates and the budget. */
  status: 'DRAFT' | 'ACTIVE' | 'PAUSED'
  budgetMicros: number
  dailyBudgetMicros: number | null
  pacing: 'EVEN' | 'ASAP'
  /** Views of one ad per person per day; null for no cap. */
  capping: number | null
  /** Feed ids whose purchase counts as HALO. */
  attributionProductIds: string[]
  /** SPONSORED: exactly one of the two is set. */
  productIds: string[] | null
  productRule: ProductRule | null
  cpcMicros: number
  autoPromo: boolean
  /** When it was archived; null when it was not. An archived campaign never runs, and default lists leave it out. */
  archivedAt: number | null
  /** ISO 3166-1 alpha-2. This and the fields below are set for DISPLAY; SPONSORED has null, or an empty list. */
  country: string | null
  targetUrl: string | null
  /** Null also in a DISPLAY campaign without one. */
  mobileDeepLink: string | null
  /** Bid for 1000 views. */
  cpmMicros: number | null
  banners: Banner[]
  targeting: BannerTargeting | null
  moderation: Moderation | null
}

/** What a display ad shows. Edits keep its id. */
export interface Banner {
  id: string
  adFormatId: string
  /** One for each image of the format, in its order. */
  images: { imageId: string; width: number; height: number }[]
  logoImageId: string | null
  textFields: { type: string; value: string }[]
  lang: string | null
}

/** An empty list does not restrict. Of any other list, one value must fit. */
export interface BannerTargeting {
  phrases: string[]
  categoryPaths: string[]
  brands: string[]
  productIds: string[]
  profiles: string[]
  /** URLs or relative paths, where `*` stands for any text. */
  refererPatterns: string[]
}

export interface ModerationDecision {
  state: 'ACCEPTED' | 'REJECTED'
  /** The reason of a rejection. */
  reason: string | null
  decidedAt: number
  /** User id; for an access token, account id. */
  decidedBy: string
  /** The version of the campaign that was judged. */
  version: number
}

/** `reason`, `decidedAt` and `decidedBy` belong to the present state; they are null while the campaign waits for a decision. */
export interface Moderation {
  state: 'IN_MODERATION' | ModerationDecision['state']
  reason: string | null
  decidedAt: number | null
  decidedBy: string | null
  /** All decisions, the latest last; only the latest of very many. */
  history: ModerationDecision[]
  /** When the creative was submitted as it is; null when an earlier version of the program took it in. */
  submittedAt: number | null
}

/** What a banner of a shop consists of. Never changes. */
export interface AdFormat {
  shopId: string
  name: string
  images: { name: string | null; width: number; height: number }[]
  /** `maxLength` in Unicode code points. */
  textFields: { type: string; required: boolean; maxLength: number }[]
}

export type ImageType = 'PNG' | 'JPEG' | 'WEBP'

/** An uploaded image; the entity's id is that of its content in the topic `images`. */
export interface UploadedImage {
  /** The accounts that uploaded it: they may use it. */
  accountIds: string[]
  mediaType: ImageType
  width: number
  height: number
  /** Size of its content. */
  bytes: number
}

/** A key that pages of a shop sign their events with (HMAC-SHA-256). */
export interface SigningKey {
  shopId: string
  name: string
  /** The secret as it was shown, once; empty when the key is deleted. */
  secret: string
}

export interface EntityBodies {
  Account: Account
  Token: Token
  Shop: Shop
  Placement: Placement
  AdUnit: AdUnit
  TechnicalSlot: TechnicalSlot
  Feed: Feed
  FeedRun: FeedRun
  Campaign: Campaign
  AdFormat: AdFormat
  Image: UploadedImage
  User: User
  SigningKey: SigningKey
  ReportView: ReportView
}

export type EntityKind = keyof EntityBodies

/** Topic `registry`. Deleted entities stay, marked, because reports and audits still name them. */
export type RegistryEntry = {
  [K in EntityKind]: {
    kind: K
    id: string
    /** Counts the changes of this entity from 1. */
    version: number
    updatedAt: number
    /** Id of the user who made the change; for an access token, of the account that it acts for. */
    updatedBy: string
    deletedAt: number | null
    body: EntityBodies[K]
  }
}[EntityKind]
