import type { Account } from '../../../schemas/records/accounts.ts'
import type { Campaign, Shop } from '../../../schemas/records/entities.ts'
import { leastPrice } from '../../domain/campaign/campaign.ts'
import { isCountry } from '../../domain/codes.ts'
import { fromMicros } from '../../domain/money/money.ts'
import type { FieldErrors } from '../resources/field-errors.ts'

/** Schemes whose links run code or show content that the link itself contains. */
const SCRIPT_SCHEMES: ReadonlySet<string> = new Set(
  ['javascript', 'vbscript', 'data', 'blob', 'filesystem', 'file', 'about', 'view-source'].map((name) => `${name}:`),
)
/** Wildcards of one pattern. Each multiplies the ways in which the pattern can match. */
const WILDCARDS_MAX = 10

/** What a campaign is checked against. */
export interface CampaignFacts {
  accountId: string
  account: Account
  shop: Shop
  /** The account of the shop. */
  publisher: Account
  /** Micros billed so far; 0 for a new one. */
  spentMicros: number
  /** The campaign before the change; null for a new one. */
  before: Campaign | null
}

/** Adds everything that is wrong with a campaign as it would be stored. */
export function checkCampaign(campaign: Campaign, facts: CampaignFacts, fieldErrors: FieldErrors): void {
  checkOwner(campaign, facts, fieldErrors)
  checkTimes(campaign, fieldErrors)
  checkMoney(campaign, facts, fieldErrors)
  if (campaign.kind === 'DISPLAY') checkDisplay(campaign, facts, fieldErrors)
  else checkProducts(campaign, facts, fieldErrors)
  const becomesDraft = campaign.status === 'DRAFT' && facts.before !== null && facts.before.status !== 'DRAFT'
  fieldErrors.check(!becomesDraft, '/status', 'cannot become DRAFT again: use PAUSED to stop the campaign')
}

function checkOwner(campaign: Campaign, { accountId, account, shop }: CampaignFacts, fieldErrors: FieldErrors): void {
  const ownsShop = shop.accountId === accountId
  if (account.kind === 'OPERATOR')
    fieldErrors.add('/accountId', "is an operator's account: only publishers and advertisers can advertise")
  if (account.kind === 'PUBLISHER') fieldErrors.check(ownsShop, '/shopId', 'is not a shop of this publisher')
  fieldErrors.check(
    !campaign.autoPromo || ownsShop,
    '/autoPromo',
    "can only be set for campaigns of the shop's own publisher",
  )
}

function checkTimes({ startAt, endAt, pacing, dailyBudgetMicros }: Campaign, fieldErrors: FieldErrors): void {
  fieldErrors.check(endAt === null || endAt > startAt, '/endAt', 'must be after startAt')
  const hasPace = pacing === 'ASAP' || endAt !== null || dailyBudgetMicros !== null
  fieldErrors.check(hasPace, '/pacing', 'EVEN needs an endAt or a dailyBudget to spread the spend over')
}

function checkMoney(campaign: Campaign, { shop, spentMicros }: CampaignFacts, fieldErrors: FieldErrors): void {
  const { kind, budgetMicros, dailyBudgetMicros, cpcMicros, cpmMicros, autoPromo } = campaign
  const spent = fromMicros(spentMicros)
  fieldErrors.check(
    budgetMicros >= spentMicros,
    '/budget',
    `must not be below the ${spent} that the campaign has spent`,
  )
  const isDailyWithin = dailyBudgetMicros === null || dailyBudgetMicros <= budgetMicros
  fieldErrors.check(isDailyWithin, '/dailyBudget', 'must not be above budget')
  if (autoPromo) return
  const leastMicros = leastPrice(campaign, shop)
  const least =
    leastMicros === 1 ? 'must be above 0' : `must be at least the shop's reserve of ${fromMicros(leastMicros)}`
  fieldErrors.check(budgetMicros >= leastMicros, '/budget', least)
  fieldErrors.check(dailyBudgetMicros === null || dailyBudgetMicros >= leastMicros, '/dailyBudget', least)
  if (kind === 'DISPLAY') fieldErrors.check(cpmMicros !== 0, '/cpm', 'must be above 0')
  else fieldErrors.check(cpcMicros >= leastMicros, '/cpc', least)
}

function checkProducts({ productRule }: Campaign, { account }: CampaignFacts, fieldErrors: FieldErrors): void {
  if (productRule) {
    const { priceMinMicros: min, priceMaxMicros: max } = productRule
    fieldErrors.check(
      min === null || max === null || min <= max,
      '/products/rule/priceMax',
      'must not be below priceMin',
    )
  }
  if (account.kind !== 'ADVERTISER') return
  if (account.sellerIds.length === 0) {
    fieldErrors.add('/accountId', 'has no sellers whose products it may advertise: ask the operator to set them')
  } else if (productRule && productRule.sellerIds.length > 0) {
    const matches = productRule.sellerIds.some((id) => account.sellerIds.includes(id))
    fieldErrors.check(matches, '/products/rule/sellerIds', 'are sellers whose products the account may not advertise')
  }
}

/** Adds what is wrong with the display fields of a campaign, except banners, which are checked where they are read. */
function checkDisplay(campaign: Campaign, facts: CampaignFacts, fieldErrors: FieldErrors): void {
  if (facts.before === null) checkEnabled(facts, fieldErrors)
  const { country, targetUrl, mobileDeepLink, targeting } = campaign
  fieldErrors.check(country === null || isCountry(country), '/country', 'is not an ISO 3166-1 country')
  if (targetUrl !== null) {
    const protocol = URL.parse(targetUrl)?.protocol ?? ''
    fieldErrors.check(['http:', 'https:'].includes(protocol), '/targetUrl', 'is not an http or https URL')
  }
  if (mobileDeepLink !== null) {
    const protocol = URL.parse(mobileDeepLink)?.protocol
    fieldErrors.check(protocol !== undefined, '/mobileDeepLink', 'is not a URL with a scheme')
    const isScript = protocol !== undefined && SCRIPT_SCHEMES.has(protocol)
    fieldErrors.check(!isScript, '/mobileDeepLink', `must not be of the scheme ${protocol}`)
  }
  for (const [at, pattern] of (targeting?.refererPatterns ?? []).entries()) {
    const isSimple = pattern.split('*').length - 1 <= WILDCARDS_MAX
    fieldErrors.check(isSimple, `/targeting/refererPatterns/${at}`, `must have at most ${WILDCARDS_MAX} wildcards`)
  }
}

/** Refuses new campaigns only. Existing campaigns are not shown while either account is not enabled. */
function checkEnabled({ account, publisher }: CampaignFacts, fieldErrors: FieldErrors): void {
  const message = 'is not enabled for display advertising: only the operator can enable it'
  fieldErrors.check(account.displayEnabled, '/accountId', `the account ${message}`)
  fieldErrors.check(publisher.displayEnabled, '/shopId', `the publisher of the shop ${message}`)
}
