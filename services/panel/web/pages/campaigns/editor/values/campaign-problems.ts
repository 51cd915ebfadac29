import type { AdFormat } from '../../../../client/types.ts'
import { formatMoney } from '../../../../components/values/money.tsx'
import { t } from '../../../../messages/pages/campaigns/editor.ts'
import type { BannerValues, CampaignValues } from './campaign-values.ts'
import type { AmountValue } from './products-choice.ts'

/** The steps of the form, in order. */
export const STEPS = ['kind', 'content', 'money', 'review'] as const
type Step = (typeof STEPS)[number]

const fieldsOfStep: Record<Exclude<Step, 'review'>, readonly string[]> = {
  kind: ['kind', 'accountId', 'shopId', 'name', 'autoPromo'],
  content: [
    ...['products', 'attributionProductIds'],
    ...['country', 'targetUrl', 'mobileDeepLink', 'targeting', 'banners'],
  ],
  money: ['startAt', 'endAt', 'budget', 'dailyBudget', 'pacing', 'cpc', 'cpm', 'capping', 'status'],
}

/** The step that contains the field of an error; `review` for an unknown field. */
export function stepOf(path: string): Step {
  const [field = ''] = path.split('.')
  return STEPS.find((step) => step !== 'review' && fieldsOfStep[step].includes(field)) ?? 'review'
}

const NEEDED = t('required')
/** Only marks the field: the field itself says why it refuses its text. */
const UNREAD = t('numberRefused')

export interface ShopFacts {
  reserveCpc: number
  currency: string | undefined
  formats: readonly AdFormat[]
  /** An operator chooses who pays; everybody else pays for the own campaigns. */
  choosesAccount: boolean
}

/** The errors that the browser can find, by field. The API checks the rest. */
export function problemsOf(values: CampaignValues, facts: ShopFacts): Record<string, string> {
  const ofKind = values.kind === 'SPONSORED' ? sponsored(values, facts) : display(values, facts)
  return { ...commonProblems(values, facts), ...ofKind }
}

function commonProblems(values: CampaignValues, { choosesAccount }: ShopFacts) {
  const { name, accountId, shopId, budget, dailyBudget, capping, startAt, endAt, pacing, autoPromo } = values
  return found({
    capping: Number.isNaN(capping) && UNREAD,
    name: name.trim() === '' && NEEDED,
    accountId: choosesAccount && accountId === '' && NEEDED,
    shopId: shopId === '' && NEEDED,
    budget: !autoPromo && priceProblem(budget),
    dailyBudget: Number.isNaN(dailyBudget)
      ? UNREAD
      : dailyBudget !== '' && budget !== '' && dailyBudget > budget && t('dailyAboveBudget'),
    endAt: startAt !== '' && endAt !== '' && endAt <= startAt && t('endBeforeStart'),
    pacing: pacing === 'EVEN' && endAt === '' && dailyBudget === '' && t('evenNeedsEnd'),
  })
}

function sponsored(
  { productsBy, products: { ids, rule }, cpc, budget, dailyBudget, autoPromo }: CampaignValues,
  { reserveCpc, currency }: ShopFacts,
) {
  const isNoRule = Object.values(rule).every((value) => value === '' || (Array.isArray(value) && value.length === 0))
  const { priceMin, priceMax } = rule
  const isTurned = priceMin !== '' && priceMax !== '' && priceMin > priceMax
  const reserve = currency ? formatMoney(reserveCpc, currency) : String(reserveCpc)
  const paysNoClick = (amount: AmountValue) =>
    !autoPromo && Number(amount) > 0 && Number(amount) < reserveCpc && t('paysNoClick', { amount: reserve })
  return found({
    budget: paysNoClick(budget),
    dailyBudget: paysNoClick(dailyBudget),
    'products.ids': productsBy === 'ids' && ids.length === 0 && t('chooseProduct'),
    'products.rule': productsBy === 'rule' && isNoRule && t('ruleEmpty'),
    'products.rule.priceMin': productsBy === 'rule' && Number.isNaN(priceMin) && UNREAD,
    'products.rule.priceMax': productsBy === 'rule' && (Number.isNaN(priceMax) ? UNREAD : isTurned && t('priceTurned')),
    cpc: !autoPromo && (priceProblem(cpc) || (Number(cpc) < reserveCpc && t('belowReserve', { amount: reserve }))),
  })
}

function display({ country, targetUrl, cpm, banners, autoPromo }: CampaignValues, { formats }: ShopFacts) {
  return {
    ...Object.fromEntries(banners.flatMap((banner, at) => missingOf(banner, `banners.${at}`, formats))),
    ...found({
      country: country === '' && NEEDED,
      targetUrl: targetUrl.trim() === '' ? NEEDED : !/^https?:\/\/\S+$/.test(targetUrl) && t('urlStart'),
      cpm: !autoPromo && priceProblem(cpm),
      banners: banners.length === 0 && t('noBanner'),
    }),
  }
}

/** The required images and texts of a banner that are missing. */
function missingOf({ adFormatId, images, textFields }: BannerValues, path: string, formats: ShopFacts['formats']) {
  const format = formats.find(({ id }) => id === adFormatId)
  const isRequired = (type: string) => format?.textFields.some((field) => field.type === type && field.required)
  return [
    ...images.flatMap(({ imageId }, at) => (imageId === '' ? [[`${path}.images.${at}.imageId`, NEEDED]] : [])),
    ...textFields.flatMap(({ type, value }, at) =>
      value === '' && isRequired(type) ? [[`${path}.textFields.${at}.value`, NEEDED]] : [],
    ),
  ]
}

const priceProblem = (value: AmountValue) =>
  value === '' ? NEEDED : Number.isNaN(value) ? UNREAD : value === 0 && t('aboveZero')

const found = (checks: Record<string, string | false>) =>
  Object.fromEntries(Object.entries(checks).filter((check): check is [string, string] => check[1] !== false))

/** Maps the API's index of a text to the form's index: empty texts are not sent, so the API counts fewer. */
export function toFormErrors(errors: Record<string, string>, { banners }: CampaignValues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).map(([path, message]) => {
      const [, banner, text, rest] = /^banners\.(\d+)\.textFields\.(\d+)\.(.+)$/.exec(path) ?? []
      if (banner === undefined) return [path, message]
      const fields = banners[Number(banner)]?.textFields ?? []
      const sent = fields.flatMap(({ value }, at) => (value === '' ? [] : [at]))
      return [`banners.${banner}.textFields.${sent[Number(text)] ?? text}.${rest}`, message]
    }),
  )
}

/** The error of a field or of anything below it. Used for lists, whose items have no fields of their own. */
export function errorUnder(errors: Record<string, unknown>, path: string): string | undefined {
  const key = Object.keys(errors).find((each) => each === path || each.startsWith(`${path}.`))
  return key === undefined ? undefined : String(errors[key])
}
