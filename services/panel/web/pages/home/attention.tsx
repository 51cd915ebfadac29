import { Anchor, Group, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core'
import {
  type Icon,
  IconAlertTriangle,
  IconClockExclamation,
  IconCoins,
  IconGavel,
  IconMoodCheck,
  IconRss,
  IconTrendingDown,
} from '@tabler/icons-react'
import { Link } from 'react-router'
import type { Answer, Role } from '../../client/types.ts'
import { ErrorState } from '../../components/page/error-state.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { ShopLink } from '../../components/page/shop-link.tsx'
import { formatShare } from '../../components/values/numbers.ts'
import { RelativeTime } from '../../components/values/times.tsx'
import type { EntityState } from '../../data/use-entity.ts'
import { t } from '../../messages/pages/home.ts'
import { useShop } from '../../session/shop-context.tsx'

export type Attention = Answer<'/v1/panel/attention'>
type Item = Attention['items'][number]

const looks: Record<Item['kind'], { Sign: Icon; color: string }> = {
  PROCESSING_DELAY: { Sign: IconClockExclamation, color: 'red' },
  FAILED_EVENTS: { Sign: IconAlertTriangle, color: 'red' },
  FEED_FAILED: { Sign: IconRss, color: 'red' },
  FEED_HELD: { Sign: IconRss, color: 'orange' },
  FEED_REJECTED: { Sign: IconRss, color: 'orange' },
  MODERATION_REJECTED: { Sign: IconGavel, color: 'red' },
  BUDGET_SPENT: { Sign: IconCoins, color: 'red' },
  BID_BELOW_RESERVE: { Sign: IconCoins, color: 'red' },
  MODERATION_WAITING: { Sign: IconGavel, color: 'yellow' },
  BUDGET_LOW: { Sign: IconCoins, color: 'orange' },
  DAILY_BUDGET_LOW: { Sign: IconCoins, color: 'yellow' },
  BEHIND_PACE: { Sign: IconTrendingDown, color: 'yellow' },
}

/** What needs attention now, each item with a link to where it can be solved. */
export function AttentionCard({ attention: { data, problem, retry }, role }: AttentionProps) {
  const isCalm = data?.items.length === 0
  return (
    <PanelCard title={t('attention')}>
      {problem && !data && <ErrorState problem={problem} retry={retry} />}
      {!problem && !data && <Skeleton height={64} aria-busy />}
      {isCalm && data.unknown.length === 0 && (
        <Line Sign={IconMoodCheck} color="teal">
          <Text size="sm" fw={500}>
            {t('nothingNeeded')}
          </Text>
          <Text size="sm" c="dimmed">
            {t('nothingNeededHelp')}
          </Text>
        </Line>
      )}
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {data?.items.map((item) => (
          <li key={item.kind}>
            <ItemLine item={item} role={role} />
          </li>
        ))}
      </Stack>
      {data && <Unknown kinds={data.unknown} />}
    </PanelCard>
  )
}

interface AttentionProps {
  attention: EntityState<Attention>
  role: Role
}

function ItemLine({ item, role }: { item: Item; role: Role }) {
  const { kind, count, since, examples } = item
  const page = pageOf(kind, role)
  const rest = count - examples.length
  const { shops } = useShop()
  const hasShops = (shops?.length ?? 0) > 1
  const [first] = examples
  return (
    <Line {...looks[kind]}>
      <Group gap="xs" justify="space-between" wrap="nowrap" align="start">
        <Text size="sm" fw={500}>
          {titleOf(item, role)}
          {since && (
            <Text span size="sm" c="dimmed" fw={400}>
              {' '}
              {t.rich('since', { time: <RelativeTime at={since} /> })}
            </Text>
          )}
        </Text>
        {page && (
          <ShopLink to={page.to} shopId={first?.shopId} size="sm" style={{ flex: 'none' }}>
            {page.label}
          </ShopLink>
        )}
      </Group>
      {examples.map((example) => (
        <Text key={example.id} size="sm" style={{ overflowWrap: 'anywhere' }}>
          <Anchor component={Link} to={pathOf(kind, example)} inherit>
            {example.name}
          </Anchor>
          <Text span inherit c="dimmed">
            {[hasShops && example.shopName, shareText(kind, example.share)].filter(Boolean).map((text) => ` · ${text}`)}
          </Text>
        </Text>
      ))}
      {examples.length > 0 && rest > 0 && (
        <Text size="sm" c="dimmed">
          {t('more', { count: rest })}
        </Text>
      )}
    </Line>
  )
}

function Line({ Sign, color, children }: { Sign: Icon; color: string; children: React.ReactNode }) {
  return (
    <Group gap="sm" wrap="nowrap" align="start">
      <ThemeIcon variant="light" color={color} size={30} radius="md" aria-hidden>
        <Sign size={17} />
      </ThemeIcon>
      <div style={{ flex: 1, minWidth: 0 }}>{children}</div>
    </Group>
  )
}

function Unknown({ kinds }: { kinds: Attention['unknown'] }) {
  const isSystem = (kind: Item['kind']) => kind === 'FAILED_EVENTS' || kind === 'PROCESSING_DELAY'
  return (
    <>
      {kinds.some((kind) => !isSystem(kind)) && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('notChecked')}
        </Text>
      )}
      {kinds.some(isSystem) && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('systemNotChecked')}
        </Text>
      )}
    </>
  )
}

function titleOf({ kind, count }: Item, role: Role): string {
  if (kind === 'PROCESSING_DELAY') return t(kind)
  if (kind === 'MODERATION_WAITING' && role === 'ADVERTISER') return t('MODERATION_WAITING_ADVERTISER', { count })
  return t(kind, { count })
}

function pageOf(kind: Item['kind'], role: Role): { to: string; label: string } | null {
  if (kind === 'PROCESSING_DELAY' || kind === 'FAILED_EVENTS') return { to: '/health', label: t('openHealth') }
  return kind === 'MODERATION_WAITING' && role !== 'ADVERTISER' ? { to: '/moderation', label: t('moderate') } : null
}

function pathOf(kind: Item['kind'], { id, runId }: Item['examples'][number]): string {
  if (!kind.startsWith('FEED_')) return `/campaigns/${id}`
  return runId === null ? `/feeds/${id}` : `/feeds/${id}/runs/${runId}`
}

function shareText(kind: Item['kind'], share: number | null): string | null {
  if (share === null) return null
  const text = formatShare(Math.floor(share * 1000) / 1000)
  return kind === 'FEED_REJECTED' ? t('shareRejected', { share: text }) : t('shareSpent', { share: text })
}
