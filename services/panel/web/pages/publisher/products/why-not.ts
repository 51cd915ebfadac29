import type { Product } from '../../../client/types.ts'
import { t } from '../../../messages/pages/shop/products.ts'

/** Explains each code of the API, and how to solve the problem. */
export const whyNotWords: Readonly<Record<string, { what: string; help: string }>> = {
  NOT_AVAILABLE: { what: t('outOfStock'), help: t('notAvailableHelp') },
  EXPIRED: { what: t('expired'), help: t('expiredHelp') },
  NO_CAMPAIGN: { what: t('noCampaign'), help: t('noCampaignHelp') },
  SELLER_MISMATCH: { what: t('sellerMismatch'), help: t('sellerMismatchHelp') },
  CAMPAIGN_DRAFT: { what: t('draft'), help: t('draftHelp') },
  CAMPAIGN_NOT_STARTED: { what: t('notStarted'), help: t('notStartedHelp') },
  CAMPAIGN_ENDED: { what: t('ended'), help: t('endedHelp') },
  CAMPAIGN_PAUSED: { what: t('paused'), help: t('pausedHelp') },
  BID_BELOW_RESERVE: { what: t('belowReserve'), help: t('belowReserveHelp') },
  BUDGET_EXHAUSTED: { what: t('budgetSpent'), help: t('budgetSpentHelp') },
  DAILY_BUDGET_EXHAUSTED: { what: t('dailyBudgetSpent'), help: t('dailyBudgetSpentHelp') },
}

/** The explanation of a code. */
export const wordsOf = ({ code }: Product['whyNot'][number]) => whyNotWords[code] ?? { what: code, help: '' }

const FEED_WORDS: Readonly<Record<string, string>> = {
  in_stock: t('inStock'),
  out_of_stock: t('outOfStock'),
  preorder: t('preorder'),
  backorder: t('backorder'),
  new: t('new'),
  refurbished: t('refurbished'),
  used: t('used'),
}

/** A value of a feed, such as in_stock or refurbished, in words. */
export const feedWord = (value: string): string => FEED_WORDS[value] ?? value.replaceAll('_', ' ')
