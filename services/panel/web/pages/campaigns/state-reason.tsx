import { Alert, type MantineColor, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Campaign, Shop } from '../../client/types.ts'
import { formatMoney } from '../../components/values/money.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { t } from '../../messages/pages/campaigns/campaigns.ts'
import { totalsIn } from '../reports/figures/currencies.ts'
import { useCampaignReport } from './figures/use-campaign-report.ts'
import { whyNotShown } from './spend.ts'

export interface StateReasonProps {
  campaign: Campaign
  shop: Shop | undefined
}

/** Explains the state of a campaign and how to change it. Renders nothing while the campaign is shown. */
export function StateReason({ campaign, shop }: StateReasonProps) {
  const { state } = campaign
  if (state === 'RUNNING') return shop ? <NotShown campaign={campaign} shop={shop} /> : null
  const [title, color, text] = reasonOf(state, campaign, shop?.timeZone)
  return (
    <Alert variant="light" color={color} title={title}>
      {text}
    </Alert>
  )
}

/** Says why a campaign is not shown although it runs. */
function NotShown({ campaign, shop }: { campaign: Campaign; shop: Shop }) {
  const { timeZone, currency } = shop
  const today = { campaignId: campaign.id, timeZone, days: 1, groupBy: 'day', metrics: 'spend' } as const
  const { data } = useCampaignReport(today, { enabled: campaign.dailyBudget !== null })
  const why = whyNotShown(campaign, shop, data && (totalsIn(data, currency).spend ?? 0))
  if (why === null) return null
  const isBid = why === 'BID_BELOW_RESERVE'
  return (
    <Alert variant="light" color="orange" title={isBid ? t('bidTooLow') : t('daySpentTitle')}>
      {isBid
        ? t('bidTooLowHelp', { amount: formatMoney(shop.reserveCpc, currency) })
        : t('daySpentHelp', { zone: timeZone.replaceAll('_', ' ') })}
    </Alert>
  )
}

/** The reason stands on a line of its own: it is what the publisher has written, with or without a full stop. */
const Rejected = ({ reason }: { reason: string }) => (
  <>
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {reason}
    </Text>
    {t('rejectedHelp')}
  </>
)

type Reason = [title: string, color: MantineColor, text: ReactNode]

function reasonOf(
  state: Exclude<Campaign['state'], 'RUNNING'>,
  { startAt, endAt, moderation }: Campaign,
  timeZone: string | undefined,
): Reason {
  const zone = timeZone ? { timeZone } : {}
  const moment = (at: string | null) => ({ date: () => <DateTime key="at" at={at} {...zone} /> })
  switch (state) {
    case 'DRAFT':
      return [t('draftTitle'), 'gray', t('draftHelp')]
    case 'IN_MODERATION':
      return [t('moderationTitle'), 'yellow', t('moderationHelp')]
    case 'REJECTED':
      return [t('rejectedTitle'), 'red', <Rejected key="why" reason={moderation?.reason ?? t('noReason')} />]
    case 'SCHEDULED':
      return [t('scheduledTitle'), 'blue', t.rich('scheduledHelp', moment(startAt))]
    case 'PAUSED':
      return [t('pausedTitle'), 'yellow', t('pausedHelp')]
    case 'EXHAUSTED':
      return [t('exhaustedTitle'), 'orange', t('exhaustedHelp')]
    case 'ENDED':
      return [t('endedTitle'), 'gray', t.rich('endedHelp', moment(endAt))]
    case 'ARCHIVED':
      return [t('archivedTitle'), 'gray', t('archivedHelp')]
  }
}
