import type { Campaign } from '../../../schemas/records/entities.ts'
import { isCountry } from '../../domain/codes.ts'
import type { FieldErrors } from '../resources/field-errors.ts'
import type { CampaignFacts } from './rules.ts'

/** Schemes whose links run code or show what the link itself holds. */
const SCRIPT_SCHEMES: ReadonlySet<string> = new Set(
  ['javascript', 'vbscript', 'data', 'blob', 'filesystem', 'file', 'about', 'view-source'].map((name) => `${name}:`),
)
/** Of one pattern: each multiplies the ways in which it can match. */
const WILDCARDS_MAX = 10

/** Adds what is wrong with the display side of a campaign, its banners aside: they are checked where they are read. */
export function checkDisplay(campaign: Campaign, facts: CampaignFacts, fieldErrors: FieldErrors): void {
  if (facts.before === null) checkEnabled(facts, fieldErrors)
  const { country, targetUrl, mobileDeepLink, targeting } = campaign
  fieldErrors.check(country === null || isCountry(country), '/country', 'is not a country of ISO 3166-1')
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

/** Only new campaigns are refused; of those there are, none is shown while either account is not enabled. */
function checkEnabled({ account, publisher }: CampaignFacts, fieldErrors: FieldErrors): void {
  const message = 'takes no part in display advertising: the operator enables it'
  fieldErrors.check(account.displayEnabled, '/accountId', `the account ${message}`)
  fieldErrors.check(publisher.displayEnabled, '/shopId', `the publisher of the shop ${message}`)
}
