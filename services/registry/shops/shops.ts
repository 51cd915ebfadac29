import type { Static } from 'typebox'
import { ShopCreate, ShopPatch, ShopQuery, ShopView } from '../../../schemas/http/panel/shops/shops.ts'
import type { Shop } from '../../../schemas/records/entities.ts'
import { DEFAULT_WINDOWS } from '../../domain/attribution/credit.ts'
import { DEFAULT_TRUST } from '../../domain/attribution/transactions.ts'
import { isCountry, isCurrency, isTimeZone } from '../../domain/codes.ts'
import { fromMicros, reserveCpcDefault, toMicros } from '../../domain/money/money.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { defaultTrafficRules, trafficRulesOf } from '../../domain/traffic-rules.ts'
import { entityFields } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownAccount } from '../resources/own-account.ts'
import { countOf } from '../resources/removal.ts'
import type { Resource } from '../resources/resource.ts'
import { removed } from '../resources/store.ts'
import type { Access } from '../rights/access.ts'
import type { Principal } from '../rights/auth.ts'
import { inShop } from '../rights/indexes.ts'
import { onlyRoles } from '../rights/roles.ts'
import { removedKey } from './signing-keys.ts'

const DEFAULTS = { timeZone: 'UTC', ...DEFAULT_WINDOWS, transactionTrust: DEFAULT_TRUST } as const
type RuleSettings = NonNullable<Static<typeof ShopCreate>['invalidTraffic']>

/** Kinds of which a shop must have none when it is removed. Its signing keys are removed with it. */
const parts = ['Placement', 'Feed', 'Campaign', 'TechnicalSlot', 'AdFormat'] as const

export function shops(deps: {
  snapshot: Snapshot
  access: Access
}): Resource<'Shop', typeof ShopCreate, typeof ShopPatch> {
  const { snapshot, access } = deps
  return {
    kind: 'Shop',
    path: 'shops',
    schemas: { create: ShopCreate, patch: ShopPatch, view: ShopView, query: ShopQuery },
    mayMake: onlyRoles(['OPERATOR', 'PUBLISHER'], 'Only publishers and the operator can create shops'),
    create({ accountId, reserveCpc, invalidTraffic = [], ...input }, principal) {
      const fieldErrors = new FieldErrors()
      const account = ownAccount({ access, principal, accountId, fieldErrors })
      const isPublisher = account === undefined || account.body.kind === 'PUBLISHER'
      fieldErrors.check(isPublisher, '/accountId', 'is not the account of a publisher')
      checkCodes(input, fieldErrors)
      checkRules(invalidTraffic, fieldErrors)
      fieldErrors.throwIfAny()
      const settings = {
        reserveCpcMicros: toMicros(reserveCpc ?? reserveCpcDefault(input.currency)),
        invalidTraffic: ownRules(invalidTraffic),
        synonyms: '',
      }
      return { ...DEFAULTS, ...input, ...settings, accountId: account!.id }
    },
    change({ body }, { reserveCpc, invalidTraffic, ...input }) {
      const fieldErrors = new FieldErrors()
      checkCodes(input, fieldErrors)
      checkRules(invalidTraffic ?? [], fieldErrors)
      fieldErrors.throwIfAny()
      return {
        ...body,
        ...input,
        reserveCpcMicros: reserveCpc === undefined ? body.reserveCpcMicros : toMicros(reserveCpc),
        invalidTraffic: invalidTraffic ? ownRules(invalidTraffic) : body.invalidTraffic,
      }
    },
    blockedBy: ({ id }) =>
      parts.map(<K extends (typeof parts)[number]>(kind: K) => countOf<K>(snapshot, [inShop[kind], id])),
    removal: (shop) => [...[...snapshot.under(inShop.SigningKey, shop.id)].map(removedKey), removed(shop)],
    views: (entities, principal) => entities.map((entity) => view(entity, principal)),
  }
}

function checkCodes(shop: Partial<Pick<Shop, 'currency' | 'country' | 'timeZone'>>, fieldErrors: FieldErrors): void {
  const { currency, country, timeZone } = shop
  fieldErrors.check(currency === undefined || isCurrency(currency), '/currency', 'is not an ISO 4217 currency')
  fieldErrors.check(country === undefined || isCountry(country), '/country', 'is not an ISO 3166-1 country')
  fieldErrors.check(timeZone === undefined || isTimeZone(timeZone), '/timeZone', 'is not an IANA time zone')
}

function checkRules(settings: RuleSettings, fieldErrors: FieldErrors): void {
  for (const [i, { rule, max }] of settings.entries()) {
    const isRepeated = settings.findIndex((each) => each.rule === rule) < i
    fieldErrors.check(!isRepeated, `/invalidTraffic/${i}/rule`, 'is listed more than once')
    const hasNumber = defaultTrafficRules[rule].max !== null
    fieldErrors.check(hasNumber || max == null, `/invalidTraffic/${i}/max`, 'cannot be set for a rule without a number')
  }
}

/** The settings that differ from the defaults. Only these are stored, so that the others follow later changes of the defaults. */
function ownRules(settings: RuleSettings): Shop['invalidTraffic'] {
  return settings.flatMap(({ rule, mode, max = null }) => {
    const byDefault = defaultTrafficRules[rule]
    const own = max === byDefault.max ? null : max
    return mode === byDefault.mode && own === null ? [] : [{ rule, mode, max: own }]
  })
}

/** Every rule as it is applied. */
const rulesInForce = (settings: Shop['invalidTraffic']) =>
  Object.entries(trafficRulesOf(settings)).map(([rule, { mode, max }]) => ({ rule, mode, max }))

/** The shop as the API shows it. Advertisers see only what they need for campaigns. */
function view(shop: Entity<'Shop'>, { role }: Principal) {
  const { accountId, clickWindowHours, viewWindowHours, transactionTrust, ...others } = shop.body
  const { reserveCpcMicros, invalidTraffic, synonyms: _, ...open } = others
  const windows = { clickWindowHours, viewWindowHours }
  const settings = { accountId, ...windows, transactionTrust, invalidTraffic: rulesInForce(invalidTraffic) }
  return {
    ...entityFields(shop),
    ...open,
    reserveCpc: fromMicros(reserveCpcMicros),
    ...(role === 'ADVERTISER' ? {} : settings),
  }
}
