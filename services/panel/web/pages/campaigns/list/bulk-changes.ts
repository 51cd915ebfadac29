import type { ApiProblem } from '../../../client/problem.ts'
import type { paths } from '../../../client/schema.d.ts'
import type { Campaign, Shop } from '../../../client/types.ts'
import { inWords } from '../../../messages/api-names.ts'
import { t } from '../../../messages/pages/campaigns/campaigns.ts'
import type { AmountValue } from '../editor/values/products-choice.ts'
import { fromZoneTime } from '../editor/values/zone-time.ts'

type Post = paths['/v1/panel/campaign-changes']['post']
export type Change = Post['requestBody']['content']['application/json']['change']
export type ChangeResult = Post['responses']['200']['content']['application/json']['results'][number]

/** The most campaigns in one call. */
const CALL_MAX = 500

export const BULK_KINDS = ['pause', 'start', 'bid', 'budget', 'end', 'archive', 'restore'] as const
export type BulkKind = (typeof BULK_KINDS)[number]

/** The values of the dialog's fields. */
export interface BulkValues {
  cpc: AmountValue
  cpm: AmountValue
  budget: AmountValue
  /** Clock time in the zone of each shop. */
  endAt: string
  /** The end is taken away: an empty field must not do that. */
  isEndless: boolean
}

export const NO_VALUES: BulkValues = { cpc: '', cpm: '', budget: '', endAt: '', isEndless: false }

export const BULK_WORDS: Record<BulkKind, { button: string; title: (count: number) => string }> = {
  pause: { button: t('pause'), title: (count) => t('bulkPause', { count }) },
  start: { button: t('start'), title: (count) => t('bulkStart', { count }) },
  bid: { button: t('changeBid'), title: (count) => t('bulkBid', { count }) },
  budget: { button: t('changeBudget'), title: (count) => t('bulkBudget', { count }) },
  end: { button: t('changeEnd'), title: (count) => t('bulkDates', { count }) },
  archive: { button: t('archive'), title: (count) => t('bulkArchive', { count }) },
  restore: { button: t('restore'), title: (count) => t('bulkRestore', { count }) },
}

/** The change to make to a campaign; null while its field is still empty, so that the campaign is left as it is. */
export function changeOf(
  kind: BulkKind,
  values: BulkValues,
  campaign: Campaign,
  shop: Shop | undefined,
): Change | null {
  switch (kind) {
    case 'pause':
      return { status: 'PAUSED' }
    case 'start':
      return { status: 'ACTIVE' }
    case 'archive':
      return { archived: true }
    case 'restore':
      return { archived: false }
    case 'budget':
      return isAmount(values.budget) ? { budget: values.budget } : null
    case 'bid':
      if (campaign.kind === 'SPONSORED') return isAmount(values.cpc) ? { cpc: values.cpc } : null
      return isAmount(values.cpm) ? { cpm: values.cpm } : null
    case 'end':
      if (values.isEndless) return { endAt: null }
      return values.endAt === '' ? null : { endAt: fromZoneTime(values.endAt, shop?.timeZone ?? 'UTC') }
  }
}

const isAmount = (value: AmountValue): value is number => value !== '' && !Number.isNaN(value)

/** One change and the campaigns that it is made to. */
interface Call {
  ids: string[]
  change: Change
}

/** The calls that make the changes. A call has one change and as many campaigns as the API allows. */
export function callsOf(changes: readonly { campaign: Campaign; change: Change | null }[]): Call[] {
  const byChange = new Map<string, Call[]>()
  for (const { campaign, change } of changes) {
    if (change === null) continue
    const key = JSON.stringify(change)
    const calls = byChange.get(key) ?? []
    byChange.set(key, calls)
    const last = calls.at(-1)
    if (last && last.ids.length < CALL_MAX) last.ids.push(campaign.id)
    else calls.push({ ids: [campaign.id], change })
  }
  return [...byChange.values()].flat()
}

/**
 * Makes the calls one after the other. Once a call has changed campaigns, a later one that fails counts as refused, and the calls
 * after it are not made: the user learns which campaigns have changed and which have not.
 * @throws ApiProblem when the first call fails.
 */
export async function resultsOf(
  calls: readonly Call[],
  make: (call: Call) => Promise<readonly ChangeResult[]>,
): Promise<ChangeResult[]> {
  const results: ChangeResult[] = []
  for (const [at, call] of calls.entries()) {
    try {
      results.push(...(await make(call)))
    } catch (error) {
      if (at === 0) throw error
      const { code, message: detail } = error as ApiProblem
      const problem = { code, detail, errors: [] }
      const left = calls.slice(at).flatMap(({ ids }) => ids)
      return [...results, ...left.map((id): ChangeResult => ({ id, outcome: 'REFUSED', version: null, problem }))]
    }
  }
  return results
}

/** Why a campaign was refused. */
export function reasonOf({ problem }: ChangeResult): string {
  const reasons = problem?.errors.map(({ message }) => message) ?? []
  const text = inWords(reasons.length > 0 ? reasons.join('; ') : (problem?.detail ?? ''))
  return text.charAt(0).toUpperCase() + text.slice(1)
}
