import { Anchor, Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { Link } from 'react-router'
import type { Role } from '../../client/types.ts'
import { ErrorState } from '../../components/page/error-state.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { type Status, StatusBadge } from '../../components/values/status-badge.tsx'
import { type EntityState, useEntity } from '../../data/use-entity.ts'
import { t } from '../../messages/pages/home.ts'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { type Attention, AttentionCard } from './attention.tsx'
import { Figures } from './figures.tsx'
import { SetupCard } from './setup.tsx'
import { TopCampaigns } from './top-campaigns.tsx'
import { Trend } from './trend.tsx'
import { type HomeDays, PERIODS, useHomeReport } from './use-home-report.ts'

const ATTENTION_REFRESH_MS = 30_000
/** In the order of a campaign's life. */
const STATES = ['RUNNING', 'SCHEDULED', 'IN_MODERATION', 'REJECTED', 'PAUSED', 'EXHAUSTED', 'DRAFT', 'ENDED'] as const

/** The first page. Operators see the whole installation, publishers the chosen shop, advertisers their campaigns. */
export default function HomePage() {
  const { user, account } = useSession()
  const { shop, shops } = useShop()
  const { role } = user
  const [days, setDays] = useLocalStorage<HomeDays>({
    key: `endcap-home-days-${user.id}`,
    defaultValue: 7,
    getInitialValueInEffect: false,
  })
  const filter = role === 'PUBLISHER' && shop ? { shopId: shop.id } : {}
  const report = useHomeReport(days, filter, role === 'PUBLISHER' && shop ? [shop] : shops)
  const attention = useEntity('/v1/panel/attention', { query: filter, refreshMs: ATTENTION_REFRESH_MS })
  const titles = {
    OPERATOR: [t('home'), t('ofAllShops')],
    PUBLISHER: [shop?.name ?? account?.name ?? t('home'), t('ofThisShop')],
    ADVERTISER: [account?.name ?? t('home'), t('ofYourCampaigns')],
  } as const
  const [title, description] = titles[role]
  return (
    <>
      <PageHeader
        title={title}
        description={description}
        actions={
          <SegmentedControl
            aria-label={t('period')}
            size="xs"
            value={String(days)}
            onChange={(value) => setDays(Number(value) as HomeDays)}
            data={PERIODS.map((count) => ({ value: String(count), label: t('lastDays', { days: count }) }))}
          />
        }
      />
      <Stack gap="lg">
        <SetupCard role={role} />
        <Figures report={report} role={role} />
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          <Trend report={report} />
          <AttentionCard attention={attention} role={role} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          <TopCampaigns report={report} />
          <Campaigns attention={attention} role={role} />
        </SimpleGrid>
      </Stack>
    </>
  )
}

interface CampaignsProps {
  attention: EntityState<Attention>
  role: Role
}

/** How many campaigns are in each state. An operator's are those of all shops, which no list has: they are no links. */
function Campaigns({ attention: { data, problem, retry }, role }: CampaignsProps) {
  const { shops } = useShop()
  const hasList = role !== 'OPERATOR' || shops?.length === 1
  const states = STATES.filter((state) => data?.campaigns[state])
  return (
    <PanelCard
      title={t('campaigns')}
      actions={
        <Anchor component={Link} to="/campaigns/new" size="sm">
          {t('newCampaign')}
        </Anchor>
      }
    >
      {problem && !data && <ErrorState problem={problem} retry={retry} />}
      {!problem && !data && <Skeleton height={64} />}
      {data && states.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('noCampaignsYet')}
        </Text>
      )}
      <Stack gap={6}>
        {states.map((state) => (
          <Group key={state} justify="space-between">
            <StatusBadge status={state satisfies Status} />
            {hasList ? (
              <Anchor component={Link} to={`/campaigns?state=${state}`} size="sm" c="inherit">
                {data?.campaigns[state]}
              </Anchor>
            ) : (
              <Text size="sm">{data?.campaigns[state]}</Text>
            )}
          </Group>
        ))}
      </Stack>
    </PanelCard>
  )
}
