import type { Static } from 'typebox'
import { ShopCreate, ShopPatch, ShopQuery, ShopView } from '../../../schemas/http/panel/shops/shops.ts'
import type { EntityKind, Shop } from '../../../schemas/records/entities.ts'
import { isCountry, isCurrency, isTimeZone } from '../../domain/codes.ts'
import { fromMicros, toMicros } from '../../domain/money/money.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { defaultTrafficRules, trafficRulesOf } from '../../domain/traffic-rules.ts'
import type { Access } from '../access/access.ts'
import type { Principal } from '../access/auth.ts'
import { onlyRoles } from '../access/roles.ts'
import { answered } from '../resources/edge.ts'
import { Findings } from '../resources/findings.ts'
import { ownAccount } from '../resources/own-account.ts'
import type { Resource } from '../resources/resource.ts'

const DEFAULTS = { timeZone: 'UTC', clickWindowHours: 336, viewWindowHours: 24, transactionTrust: 'OPEN' } as const
type RuleSettings = NonNullable<Static<typeof ShopCreate>['invalidTraffic']>
const RESERVE_CPC_DEFAULT = 0.01

/** What belongs to a shop, and holds it while it is there. */
const parts = [
  ['Placement', 'placements'],
  ['Feed', 'feeds'],
  ['Campaign', 'campaigns'],
  ['TechnicalSlot', 'technical slots'],
  ['AdFormat', 'ad formats'],
] as const satisfies [EntityKind, string][]

export function shops(deps: {
  snapshot: Snapshot
  access: Access
}): Resource<'Shop', typeof ShopCreate, typeof ShopPatch> {
  const { snapshot, access } = deps
  return {
    kind: 'Shop',
    path: 'shops',
    schemas: { create: ShopCreate, patch: ShopPatch, view: ShopView, query: ShopQuery },
    mayMake: onlyRoles(['OPERATOR', 'PUBLISHER'], 'Shops belong to publishers'),
    create({ accountId, reserveCpc = RESERVE_CPC_DEFAULT, invalidTraffic = [], ...input }, principal) {
      const findings = new Findings()
      const account = ownAccount({ access, principal, accountId, findings })
      const isPublisher = account === undefined || account.body.kind === 'PUBLISHER'
      findings.check(isPublisher, '/accountId', 'is not the account of a publisher')
      checkCodes(input, findings)
      checkRules(invalidTraffic, findings)
      findings.raise()
      const settings = { reserveCpcMicros: toMicros(reserveCpc), invalidTraffic: ownRules(invalidTraffic) }
      return { ...DEFAULTS, ...input, ...settings, accountId: account!.id }
    },
    change({ body }, { reserveCpc, invalidTraffic, ...input }) {
      const findings = new Findings()
      checkCodes(input, findings)
      checkRules(invalidTraffic ?? [], findings)
      findings.raise()
      return {
        ...body,
        ...input,
        reserveCpcMicros: reserveCpc === undefined ? body.reserveCpcMicros : toMicros(reserveCpc),
        invalidTraffic: invalidTraffic ? ownRules(invalidTraffic) : body.invalidTraffic,
      }
    },
    heldBy({ id }) {
      return parts.find(([kind]) => snapshot.all(kind).some((part) => part.body.shopId === id))?.[1] ?? null
    },
    views: (entities, principal) => entities.map((entity) => view(entity, principal)),
  }
}

function checkCodes(shop: Partial<Pick<Shop, 'currency' | 'country' | 'timeZone'>>, findings: Findings): void {
  const { currency, country, timeZone } = shop
  findings.check(currency === undefined || isCurrency(currency), '/currency', 'is not a currency of ISO 4217')
  findings.check(country === undefined || isCountry(country), '/country', 'is not a country of ISO 3166-1')
  findings.check(timeZone === undefined || isTimeZone(timeZone), '/timeZone', 'is not a time zone of IANA')
}

function checkRules(settings: RuleSettings, findings: Findings): void {
  for (const [i, { rule, max }] of settings.entries()) {
    const isRepeated = settings.findIndex((each) => each.rule === rule) < i
    findings.check(!isRepeated, `/invalidTraffic/${i}/rule`, 'is there twice')
    const hasNumber = defaultTrafficRules[rule].max !== null
    findings.check(hasNumber || max == null, `/invalidTraffic/${i}/max`, 'is of a rule without a number')
  }
}

/** What differs from the defaults: others follow them when they change. */
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

/** Advertisers see what a campaign needs to know. */
function view(shop: Entity<'Shop'>, { role }: Principal) {
  const { accountId, clickWindowHours, viewWindowHours, transactionTrust, ...others } = shop.body
  const { reserveCpcMicros, invalidTraffic, ...open } = others
  const windows = { clickWindowHours, viewWindowHours }
  const settings = { accountId, ...windows, transactionTrust, invalidTraffic: rulesInForce(invalidTraffic) }
  return {
    ...answered(shop),
    ...open,
    reserveCpc: fromMicros(reserveCpcMicros),
    ...(role === 'ADVERTISER' ? {} : settings),
  }
}
