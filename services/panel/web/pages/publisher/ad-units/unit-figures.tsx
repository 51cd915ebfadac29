import { SimpleGrid } from '@mantine/core'
import type { AdUnit, Shop } from '../../../client/types.ts'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { ShopLink } from '../../../components/page/shop-link.tsx'
import { StatCard } from '../../../components/page/stat-card.tsx'
import { Money } from '../../../components/values/money.tsx'
import { formatCount, formatRoas, formatShare } from '../../../components/values/numbers.ts'
import { dateIn, useNow } from '../../../components/values/times.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { t } from '../../../messages/pages/ad-units.ts'
import { rangeUntil } from '../../reports/controls/periods.ts'
import { totalsIn } from '../../reports/figures/currencies.ts'

const REFRESH_MS = 20_000
const DAYS = 28

/** What the unit showed, and the results. */
export function UnitFigures({ unit, shop }: { unit: AdUnit; shop: Shop | undefined }) {
  const range = rangeUntil(dateIn(shop?.timeZone, useNow()), DAYS)
  const metrics = 'requests,views,clicks,ctr,spend,revenue,roas'
  const query = { adUnitId: unit.id, ...range, metrics }
  const { data, problem } = useEntity('/v1/panel/reports', { query, refreshMs: REFRESH_MS })
  const totals = data && totalsIn(data, shop?.currency)
  const money = (amount: number | null | undefined) => totals && <Money amount={amount} currency={totals.currency} />
  return (
    <PanelCard
      title={t('last28Days')}
      actions={
        <ShopLink shopId={unit.shopId} to={`/reports?adUnitId=${unit.id}`} size="sm">
          {t('openReport')}
        </ShopLink>
      }
    >
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <StatCard
          label={t('requests')}
          value={totals && formatCount(totals.requests)}
          problem={problem}
          hint={t('requestsHint')}
        />
        <StatCard label={t('views')} value={totals && formatCount(totals.views)} problem={problem} />
        <StatCard label={t('clicks')} value={totals && formatCount(totals.clicks)} problem={problem} />
        <StatCard label={t('ctr')} value={totals && formatShare(totals.ctr)} problem={problem} hint={t('ctrHint')} />
        <StatCard label={t('spend')} value={money(totals?.spend)} problem={problem} />
        <StatCard label={t('sales')} value={money(totals?.revenue)} problem={problem} hint={t('salesHint')} />
        <StatCard label={t('roas')} value={totals && formatRoas(totals.roas)} problem={problem} />
      </SimpleGrid>
    </PanelCard>
  )
}
