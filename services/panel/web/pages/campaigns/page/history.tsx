import { Button, Group, Skeleton, Stack, Text, Timeline } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Campaign, Item, Shop } from '../../../client/types.ts'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { Money } from '../../../components/values/money.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { useList } from '../../../data/use-list.ts'
import { t as pagesOfList } from '../../../messages/components.ts'
import { t } from '../../../messages/pages/campaigns/campaigns.ts'

const CHANGES_PER_PAGE = 10
const TEXT_CHARS_MAX = 200

type Change = Item<'/v1/panel/campaigns/{id}/history'>
type FieldChange = Change['changes'][number]

/** Who changed what, latest first. */
export function History({ campaign, shop }: { campaign: Campaign; shop: Shop | undefined }) {
  const list = useList('/v1/panel/campaigns/{id}/history', {
    path: { id: campaign.id },
    pageSize: CHANGES_PER_PAGE,
  })
  return (
    <PanelCard title={t('history')}>
      {list.problem && !list.items && <ErrorState problem={list.problem} retry={list.retry} />}
      {!list.problem && !list.items && <Skeleton height={120} />}
      {list.items && (
        <Stack gap="md">
          <Timeline bulletSize={12} lineWidth={2} aria-busy={list.isStale}>
            {list.items.map((change) => (
              <Timeline.Item key={change.version} title={<Text size="sm">{titleOf(change)}</Text>}>
                {shownChanges(change).map((each) => (
                  <Text key={each.field} size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {said(each, shop)}
                  </Text>
                ))}
                <Text size="xs" c="dimmed">
                  <DateTime at={change.at} {...(shop && { timeZone: shop.timeZone })} />
                </Text>
              </Timeline.Item>
            ))}
          </Timeline>
          {(list.next || list.previous) && (
            <Group gap="xs" component="nav" aria-label={pagesOfList('pages')}>
              <Button variant="default" size="xs" disabled={!list.previous} onClick={() => list.previous?.()}>
                {pagesOfList('previous')}
              </Button>
              <Button variant="default" size="xs" disabled={!list.next} onClick={() => list.next?.()}>
                {t('earlier')}
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </PanelCard>
  )
}

/** What the change did, in one sentence. */
function titleOf({ version, byName, changes }: Change): ReactNode {
  const who = { who: <bdi key="who">{byName ?? t('someone')}</bdi> }
  const [only] = changes.filter(({ field }) => field !== 'status' || changes.length === 1)
  if (version === 1) return t.rich('created', who)
  const archived = changes.find(({ field }) => field === 'archivedAt')
  if (archived) return t.rich(archived.after === null ? 'restoredIt' : 'archivedIt', who)
  if (changes.length === 1 && only?.field === 'status') {
    return t.rich(only.after === 'ACTIVE' ? 'started' : 'paused', who)
  }
  if (changes.length === 1 && only?.field === 'moderation') {
    const { state } = (only.after ?? {}) as { state?: string }
    if (state === 'ACCEPTED') return t.rich('accepted', who)
    if (state === 'REJECTED') return t.rich('rejected', who)
  }
  return t.rich('changed', who)
}

/** The changed fields that the title does not mention. */
function shownChanges({ changes }: Change): FieldChange[] {
  const isTold = changes.length === 1 && ['status', 'moderation'].includes(changes[0]!.field)
  return isTold ? [] : changes.filter(({ field }) => field !== 'archivedAt' && field !== 'moderation')
}

const FIELDS: Record<string, string> = {
  name: t('name'),
  startAt: t('startAt'),
  endAt: t('endAt'),
  budget: t('budget'),
  dailyBudget: t('dailyBudget'),
  pacing: t('pacing'),
  capping: t('frequencyCap'),
  attributionProductIds: t('otherCredited'),
  status: t('status'),
  products: t('productsField'),
  cpc: t('cpc'),
  cpm: t('cpm'),
  country: t('country'),
  targetUrl: t('leadsTo'),
  mobileDeepLink: t('mobileDeepLink'),
  targeting: t('targeting'),
  banners: t('banners'),
}

const AMOUNTS: ReadonlySet<string> = new Set(['budget', 'dailyBudget', 'cpc', 'cpm'])
const TIMES: ReadonlySet<string> = new Set(['startAt', 'endAt'])

/** 'Daily budget €20.00 → €35.00'. */
function said({ field, before, after, omitted }: FieldChange, shop: Shop | undefined): ReactNode {
  const value = (of: unknown, key: string): ReactNode => {
    if (of === null) return field === 'dailyBudget' ? t('noLimit') : field === 'capping' ? t('noCap') : t('none')
    if (AMOUNTS.has(field)) return <Money key={key} amount={Number(of)} currency={shop?.currency} />
    if (TIMES.has(field)) return <DateTime key={key} at={String(of)} {...(shop && { timeZone: shop.timeZone })} />
    if (field === 'pacing') return of === 'EVEN' ? t('even') : t('asap')
    if (field === 'status') return t(`status${of as Campaign['status']}`)
    return <bdi key={key}>{String(of)}</bdi>
  }
  const isPlain = [before, after].every(
    (each) => each === null || (typeof each !== 'object' && String(each).length <= TEXT_CHARS_MAX),
  )
  const difference =
    omitted || !isPlain
      ? t('wasChanged')
      : t.rich('changesTo', { before: value(before, 'before'), after: value(after, 'after') })
  return (
    <>
      {`${FIELDS[field] ?? field} `}
      <Text span size="sm" c="dimmed">
        {difference}
      </Text>
    </>
  )
}
