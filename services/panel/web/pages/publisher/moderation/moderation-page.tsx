import { Anchor, Badge, Button, EmptyState, Kbd, Skeleton, Tabs, Text } from '@mantine/core'
import { IconChecks, IconKeyboard } from '@tabler/icons-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Campaign, Shop } from '../../../client/types.ts'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/shop/moderation.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'
import classes from './moderation.module.css'
import { ModerationQueue, waitingSince } from './moderation-queue.tsx'
import { ShortcutsDialog, useShortcutsOn } from './shortcuts-dialog.tsx'
import { useDecision } from './use-decision.tsx'
import { useShortcuts } from './use-shortcuts.ts'

type State = NonNullable<Campaign['moderation']>['state']

const tabs: readonly { state: State; label: string; empty: string }[] = [
  { state: 'IN_MODERATION', label: t('toModerate'), empty: t('nothingWaits') },
  { state: 'ACCEPTED', label: t('accepted'), empty: t('noneAccepted') },
  { state: 'REJECTED', label: t('rejected'), empty: t('noneRejected') },
]
const REFRESH_MS = 20_000

/** Display campaigns in a shop, to be accepted or rejected. */
export default function ModerationPage() {
  const { shop, shops, choose } = useShop()
  const [search, setSearch] = useSearchParams()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const [isOn] = useShortcutsOn()
  const list = useList('/v1/panel/moderation', {
    query: { shopId: shop?.id },
    pageSize: PAGE_SIZE_MAX,
    enabled: shop !== undefined,
    refreshMs: REFRESH_MS,
  })
  const items = list.items
  // Nothing can be decided on before its banners can be drawn.
  const formats = useList('/v1/panel/ad-formats', {
    query: { shopId: shop?.id },
    pageSize: PAGE_SIZE_MAX,
    enabled: shop !== undefined,
  })
  const elsewhere = useWaitingElsewhere(shop, shops)
  const decision = useDecision(list.retry)
  useShortcuts({ '?': () => setHelpOpen(true), u: decision.undo }, isOn)
  const state = tabs.find((tab) => tab.state === search.get('state'))?.state ?? 'IN_MODERATION'
  return (
    <>
      <PageHeader
        title={t('moderation')}
        description={t('moderationHelp')}
        actions={
          <Button
            variant="default"
            leftSection={<IconKeyboard size={16} aria-hidden />}
            rightSection={<Kbd size="xs">?</Kbd>}
            onClick={() => setHelpOpen(true)}
          >
            {t('shortcuts')}
          </Button>
        }
      />
      {shops && !shop && <NoShop />}
      {list.problem && !items && <ErrorState problem={list.problem} retry={list.retry} />}
      {!list.problem && !items && !(shops && !shop) && <Skeleton height={560} />}
      {elsewhere.map(({ id, name, count }) => (
        <Text key={id} size="sm" mb="xs">
          {t('waitElsewhere', { count, shop: name })}{' '}
          <Anchor component="button" type="button" inherit onClick={() => choose(id)}>
            {t('showQueue')}
          </Anchor>
        </Text>
      ))}
      {items && (
        <Tabs
          value={state}
          onChange={(value) => value && setSearch({ state: value }, { replace: true })}
          keepMounted={false}
          classNames={{ list: classes.tabs, tab: classes.tab }}
        >
          <Tabs.List mb="md">
            {tabs.map((tab) => (
              <Tabs.Tab
                key={tab.state}
                value={tab.state}
                rightSection={
                  <Badge size="sm" variant="default" radius="sm">
                    {ofState(items, tab.state).length}
                  </Badge>
                }
              >
                {tab.label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tabs.map((tab) => (
            <Tabs.Panel key={tab.state} value={tab.state}>
              {ofState(items, tab.state).length === 0 ? (
                <EmptyState py="xl" icon={<IconChecks />} title={tab.empty} />
              ) : formats.problem && !formats.items ? (
                <ErrorState problem={formats.problem} retry={formats.retry} />
              ) : !formats.items || formats.isStale ? (
                <Skeleton height={560} />
              ) : (
                <ModerationQueue
                  campaigns={ofState(items, tab.state)}
                  formats={formats.items}
                  reasons={recentReasons(items)}
                  decision={decision}
                />
              )}
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
      <ShortcutsDialog isOpen={isHelpOpen} close={() => setHelpOpen(false)} />
    </>
  )
}

/** Once nothing waits in these, others take their place. */
const OTHER_SHOPS_MAX = 3

/** How many campaigns wait in other shops, which the page does not show: the home page counts them too. */
function useWaitingElsewhere(shop: Shop | undefined, shops: readonly Shop[] | undefined) {
  const { items } = useList('/v1/panel/moderation', {
    query: { state: 'IN_MODERATION' },
    pageSize: PAGE_SIZE_MAX,
    enabled: (shops?.length ?? 0) > 1,
    refreshMs: REFRESH_MS,
  })
  const waiting = Map.groupBy(items ?? [], ({ shopId }) => shopId)
  return (shops ?? [])
    .map(({ id, name }) => ({ id, name, count: waiting.get(id)?.length ?? 0 }))
    .filter(({ id, count }) => id !== shop?.id && count > 0)
    .slice(0, OTHER_SHOPS_MAX)
}

/** The campaigns of a state. Waiting campaigns are sorted oldest first, decided ones latest first. */
function ofState(campaigns: readonly Campaign[], wanted: State): Campaign[] {
  const time = (campaign: Campaign) => campaign.moderation?.decidedAt ?? waitingSince(campaign)
  const order = wanted === 'IN_MODERATION' ? 1 : -1
  return campaigns
    .filter(({ moderation }) => moderation?.state === wanted)
    .sort((a, b) => order * time(a).localeCompare(time(b)))
}

const SUGGESTED_MAX = 6

/** Reasons of earlier rejections, each once, latest first. */
function recentReasons(campaigns: readonly Campaign[]): string[] {
  const decisions = campaigns.flatMap(({ moderation }) => moderation?.history ?? [])
  const latest = decisions.toSorted((a, b) => b.decidedAt.localeCompare(a.decidedAt))
  const reasons = latest.flatMap(({ reason }) => (reason === null ? [] : [reason]))
  return [...new Set(reasons)].slice(0, SUGGESTED_MAX)
}
