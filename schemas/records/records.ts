import type { ImageType, RegistryEntry } from './entities.ts'
import type {
  AdEvent,
  Emission,
  EmptySearch,
  EventCorrection,
  JudgedEvent,
  PageView,
  ShowIdClaims,
  Transaction,
  TransactionReturn,
} from './events.ts'
import type { Certification, ProductDetail, Shipping } from './offer-parts.ts'
import type { SecurityEvent } from './security-event.ts'

/**
 * The TypeScript types of the Avro records in `schemas/avro/`.
 * Units: `…Micros` are millionths of the shop's currency, `…At` are UTC epoch milliseconds. Missing is null.
 */

/** Topic `products`: one offer of one feed. */
export interface ProductOffer {
  shopId: string
  feedId: string
  id: string
  productId: string | null
  title: string
  description: string | null
  link: string
  imageLink: string
  deepLink: string | null
  priceMicros: number
  salePriceMicros: number | null
  currency: string
  isAvailable: boolean
  /** As the feed words it: in_stock, out_of_stock, preorder, backorder. */
  availability: string
  brand: string | null
  gtin: string | null
  mpn: string | null
  itemGroupId: string | null
  catalogProductCategory: string | null
  /** Category paths, levels joined by " > ". The first is the one shown. */
  productTypes: string[]
  lang: string | null
  condition: string | null
  adult: boolean | null
  ageGroup: string | null
  color: string | null
  gender: string | null
  material: string | null
  pattern: string | null
  size: string | null
  energyEfficiencyClass: string | null
  unitPricingMeasure: string | null
  externalSellerId: string | null
  externalSellerName: string | null
  labels: string[]
  shipping: Shipping[]
  certification: Certification[]
  productDetails: ProductDetail[]
  customParameters: Record<string, string>
  /** Hash of everything but updatedAt: an equal digest is an unchanged offer. */
  digest: string
  updatedAt: number
  /** From this time on the offer is not available, whatever `isAvailable` says; null for never. */
  expiresAt: number | null
  additionalImageLinks: string[]
}

/** Topic `item-groups`: the item group that an offer was last given, which outlives the offer. */
export interface ItemGroup {
  shopId: string
  feedId: string
  id: string
  /** Never empty. */
  itemGroupId: string
}

/** Topic `product-signals`: what shoppers' behaviour says about one product of a shop (by feed id). */
export interface ProductSignals {
  shopId: string
  id: string
  /** Decayed purchases of 30 days, then clicks, then views, as one comparable number >= 0. */
  popularity: number
  /** Sponsored views and valid clicks behind the predicted click rate. */
  views: number
  clicks: number
  /** Products bought by those who bought this one, best first, score in (0, 1]. */
  alsoBought: { id: string; score: number }[]
  computedAt: number
}

/** Topic `shop-traffic`: how ad requests are spread over the day of a shop, and how often its sponsored ads are clicked. */
export interface ShopTraffic {
  shopId: string
  /** 24 numbers > 0, one for each hour of the shop's clock, beginning at midnight. */
  hourShares: number[]
  /** Valid views of sponsored ads in the last four weeks, and valid clicks on them. */
  views: number
  clicks: number
  computedAt: number
}

/** Topic `phrase-lifts`: products that are clicked more often, or less, after some words than elsewhere. */
export interface PhraseLifts {
  shopId: string
  /** `phraseId` of the words. */
  phrase: number
  /** For products by feed id, the factor by which the predicted click rate is multiplied, above 0. */
  lifts: { id: string; lift: number }[]
  computedAt: number
}

/** Topic `spend-checkpoints`: what a campaign has spent up to certain offsets of the log. */
export interface SpendCheckpoint {
  campaignId: string
  /** Billed since the campaign began, less refunds. */
  spendMicros: number
  /** Thousandths of a micro that the campaign owes for views, 0 to 999. */
  thousandths: number
  /** The last offset of the campaign's partition of `ad-events` that is included. */
  sourceOffset: number
  /** The last offset of the campaign's partition of `corrections` that is included; -1 when none is. */
  correctionsOffset: number
}

/** Topic `feed-issues`. */
export interface FeedIssue {
  feedId: string
  runId: string
  shopId: string
  severity: 'REJECTED' | 'WARNING'
  line: number
  productId: string | null
  field: string
  code: string
  message: string
  foundAt: number
}

/** Topic `images`: the content of an uploaded image, as it is served. */
export interface Image {
  /** SHA-256 of `bytes`, base64url. */
  id: string
  mediaType: ImageType
  width: number
  height: number
  bytes: Buffer
}

/** Topic `dead-letters`: a record that a stream could not process. */
export interface DeadLetter {
  stream: string
  topic: string
  partition: number
  offset: number
  key: string | null
  value: Buffer | null
  code: string
  message: string
  failedAt: number
}

/** Topic `log-epoch`: the cluster of the log, and its last restore. */
export interface LogEpoch {
  /** The epoch to which all offsets belong that are read or assigned from now on. */
  epoch: number
  /** Whether the restore has begun and not ended. Until it ends, no process may use the log. */
  restoring: boolean
  restoredAt: number
  /** For each partition of `ad-events`, an offset of this epoch: all records before it were judged before the restore. */
  judgedTo: { partition: number; offset: number }[]
  /** The Kafka cluster of the log; in any other cluster the log is a copy. Null when unknown, as in records of earlier versions. */
  clusterId: string | null
}

/** Topic `erasures`: a person of a shop whose identifier is replaced by a pseudonym wherever it stands. */
export interface Erasure {
  id: string
  shopId: string
  /** The kind of identifier by which the person is known. */
  identifier: 'CID' | 'UID'
  /** Stands in place of the identifier. Random. */
  pseudonym: string
  /** Events that happened later are not erased. */
  requestedAt: number
  /** Account that asked for it. */
  requestedBy: string
  /** Tells the identifier from others. Null once no record that is read can hold the identifier. */
  digest: IdentifierDigest | null
  /** When everything that the program keeps was found to be without the identifier; null when it was not yet. */
  erasedAt: number | null
  /** Since when the log no longer holds the bytes of the identifier; null when not known yet. */
  logFreeAt: number | null
}

export interface IdentifierDigest {
  /** Random, for this erasure alone. Hexadecimal. */
  salt: string
  /** SHA-256 of the salt's bytes and the identifier. Hexadecimal. */
  sha256: string
  /** Checksum of the identifier, so that other identifiers rarely have to be hashed. */
  crc32: number
}

export interface RecordTypes {
  RegistryEntry: RegistryEntry
  ProductOffer: ProductOffer
  ItemGroup: ItemGroup
  ProductSignals: ProductSignals
  ShopTraffic: ShopTraffic
  PhraseLifts: PhraseLifts
  SpendCheckpoint: SpendCheckpoint
  Emission: Emission
  AdEvent: AdEvent
  JudgedEvent: JudgedEvent
  EventCorrection: EventCorrection
  Transaction: Transaction
  TransactionReturn: TransactionReturn
  PageView: PageView
  FeedIssue: FeedIssue
  SecurityEvent: SecurityEvent
  EmptySearch: EmptySearch
  Image: Image
  DeadLetter: DeadLetter
  LogEpoch: LogEpoch
  Erasure: Erasure
  ShowIdClaims: ShowIdClaims
}
