import type { EventLog } from '../../infra/event-log/port.ts'
import type { Lifts } from '../../infra/product-index/port.ts'
import { type Follower, type FollowLogger, followTopic } from './follow-topic.ts'

/** How many times as often as usual products are clicked after a phrase. */
export interface PhraseLiftsView {
  /** Whether lifts of any phrase of the shop are known. */
  hasAny(shopId: string): boolean
  /** The lifts of a phrase; undefined when none are known. @param phrase a `phraseId` of the shop. */
  of(shopId: string, phrase: number): Lifts | undefined
}

/** A view without any lifts. */
export const noLifts: PhraseLiftsView = { hasAny: () => false, of: () => undefined }

/** Follows the topic `phrase-lifts` until closed. `streams/phrase-lifts/` writes it, a bounded number of phrases per shop. */
export async function followLifts({
  log,
  logger,
}: {
  log: Pick<EventLog, 'tail'>
  logger: FollowLogger
}): Promise<PhraseLiftsView & Follower> {
  const shops = new Map<string, Map<number, Lifts>>()
  const follower = await followTopic(
    { log, topic: 'phrase-lifts', record: 'PhraseLifts', known: 'What is clicked after which words is known', logger },
    (key, value) => {
      const { shopId, phrase } = placeOf(key)
      const phrases = shops.get(shopId) ?? new Map<number, Lifts>()
      if (value) phrases.set(phrase, new Map(value.lifts.map(({ id, lift }) => [id, lift])))
      else phrases.delete(phrase)
      if (phrases.size > 0) shops.set(shopId, phrases)
      else shops.delete(shopId)
    },
  )
  return {
    ...follower,
    hasAny: (shopId) => shops.has(shopId),
    of: (shopId, phrase) => shops.get(shopId)?.get(phrase),
  }
}

/** The key of a record of `phrase-lifts`. */
export const liftsKey = (shopId: string, phrase: number): string => `${shopId}/${phrase}`

function placeOf(key: string): { shopId: string; phrase: number } {
  const [shopId, phrase] = key.split('/')
  return { shopId: shopId!, phrase: Number(phrase) }
}
