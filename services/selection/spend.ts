import type { Counters } from '../../infra/counters/port.ts'
import type { Campaign } from '../../schemas/entities.ts'
import { dailySpendKey, dayIn, spendKey } from '../domain/counter-keys.ts'
import { settledKeys } from '../domain/in-flight.ts'
import type { Entity, Snapshot } from '../domain/snapshot.ts'
import type { Spend } from '../domain/standing.ts'
import { readWhole } from '../read-whole.ts'

const CAMPAIGNS_PER_READ = 250
/** Of campaigns that nobody asks for, so many are read at a time. */
const IDLE_PER_REFRESH = 1000
/**
 * How long the last known spend is gone by while the counters are away: what is given away beyond budgets is what is
 * clicked in this time. After it no paid ad is shown.
 */
export const SPEND_KNOWN_MS = 10_000

export interface KnownSpend extends Spend {
  /** Billed for views of display ads that count as in flight. Known of busy campaigns. */
  settledMicros: number
}
const NOTHING: KnownSpend = { totalMicros: 0, todayMicros: 0, settledMicros: 0 }
/** Leaves nothing of any budget. */
const UNKNOWN: KnownSpend = { totalMicros: Number.POSITIVE_INFINITY, todayMicros: 0, settledMicros: 0 }

/** What campaigns have spent, as the counters said at the last refresh; everything, once that is too long ago. */
export interface SpendView {
  of(campaignId: string): KnownSpend
  /** Grows with each change. */
  readonly revision: number
  /**
   * Reads the spend of the busy campaigns, and of the others in turn. @throws what the counters throw; the view then stays
   * as it was, for `SPEND_KNOWN_MS`.
   */
  refresh(busy?: ReadonlySet<string>): Promise<void>
  /** Reads the spend of these campaigns. */
  read(campaignIds: Iterable<string>): Promise<void>
}

export function createSpendView(deps: {
  counters: Pick<Counters, 'read'>
  snapshot: Snapshot
  now: () => number
}): SpendView {
  const { snapshot, now } = deps
  const spends = new Map<string, KnownSpend>()
  let revision = 0
  /** Of the idle campaigns, those before were read in the refreshes before. */
  let idleRead = 0
  /** When the first refresh began that has not been carried out since; null: the last one was. */
  let missedSince: number | null = Number.NEGATIVE_INFINITY

  async function readSome(campaigns: readonly Entity<'Campaign'>[], isBusy: (id: string) => boolean): Promise<void> {
    for (let from = 0; from < campaigns.length; from += CAMPAIGNS_PER_READ) {
      const some = campaigns.slice(from, from + CAMPAIGNS_PER_READ)
      const keys = some.map((campaign) => keysOf(campaign, { snapshot, now: now(), settles: isBusy(campaign.id) }))
      // What is billed and what is settled of it are of one moment: they are read at once.
      const values = await readWhole(deps.counters, keys.flat())
      for (const [i, { id }] of some.entries()) {
        const [totalMicros, todayMicros, ...settled] = values.splice(0, keys[i]!.length) as [number, number]
        spends.set(id, { totalMicros, todayMicros, settledMicros: settled.reduce((sum, each) => sum + each, 0) })
      }
    }
    revision++
  }

  return {
    of(campaignId) {
      if (missedSince !== null && now() - missedSince > SPEND_KNOWN_MS) return UNKNOWN
      return spends.get(campaignId) ?? NOTHING
    },
    get revision() {
      return revision
    },
    async refresh(busy = new Set()) {
      missedSince ??= now()
      const spending = [...snapshot.all('Campaign')].filter(({ body }) => isSpending(body, now()))
      const idle = spending.filter(({ id }) => !busy.has(id))
      if (idleRead >= idle.length) idleRead = 0
      const turn = idle.slice(idleRead, idleRead + IDLE_PER_REFRESH)
      await readSome([...spending.filter(({ id }) => busy.has(id)), ...turn], (id) => busy.has(id))
      idleRead += turn.length
      missedSince = null
    },
    async read(campaignIds) {
      const campaigns = [...campaignIds].flatMap((id) => snapshot.get('Campaign', id) ?? [])
      await readSome(campaigns, () => true)
    },
  }
}

function isSpending(campaign: Campaign, now: number): boolean {
  return campaign.status === 'ACTIVE' && !campaign.autoPromo && (campaign.endAt === null || now < campaign.endAt)
}

function keysOf(
  { id, body }: Entity<'Campaign'>,
  { snapshot, now, settles }: { snapshot: Snapshot; now: number; settles: boolean },
): string[] {
  const timeZone = snapshot.body('Shop', body.shopId)?.timeZone ?? 'UTC'
  const settled = settles && body.kind === 'DISPLAY' ? settledKeys(id, now) : []
  return [spendKey(id), dailySpendKey(id, dayIn(timeZone, now)), ...settled]
}
