import { Button, Skeleton, Stack, Text, Timeline } from '@mantine/core'
import { IconArchive, IconArchiveOff, IconCopy, IconPencil } from '@tabler/icons-react'
import { Link, useNavigate, useParams } from 'react-router'
import { answer, client, ifMatch } from '../../client/client.ts'
import type { Campaign } from '../../client/types.ts'
import { DeleteButton } from '../../components/form/delete-button.tsx'
import { ErrorState } from '../../components/page/error-state.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { useEntity } from '../../data/use-entity.ts'
import { useSave } from '../../data/use-save.ts'
import { t } from '../../messages/pages/campaigns/campaigns.ts'
import { useShop } from '../../session/shop-context.tsx'
import { CampaignBanners } from './banners/campaign-banners.tsx'
import { CampaignSwitch, useMayChange } from './campaign-switch.tsx'
import { CampaignFigures } from './figures/campaign-figures.tsx'
import { History } from './page/history.tsx'
import { Settings, Targeting } from './page/settings.tsx'
import { CampaignProducts } from './products/campaign-products.tsx'
import { StateReason } from './state-reason.tsx'
import { KINDS } from './words.ts'

const REFRESH_MS = 15_000
/** States in which a campaign cannot start to run by itself. */
const ARCHIVABLE: ReadonlySet<Campaign['state']> = new Set(['DRAFT', 'REJECTED', 'PAUSED', 'EXHAUSTED', 'ENDED'])

/** One campaign: its state, figures, settings, and products or banners. */
export default function CampaignPage() {
  const { id = '' } = useParams()
  const mayChange = useMayChange()
  const { shops } = useShop()
  const {
    data: campaign,
    problem,
    retry,
  } = useEntity('/v1/panel/campaigns/{id}', { path: { id }, refreshMs: REFRESH_MS })
  const shop = shops?.find((each) => each.id === campaign?.shopId)
  const [copyPath, editPath] = [`/campaigns/new?from=${id}`, `/campaigns/${id}/edit`]
  const breadcrumbs = [{ label: t('campaigns'), to: '/campaigns' }]
  if (!campaign) {
    return (
      <>
        <PageHeader title={t('campaign')} breadcrumbs={breadcrumbs} />
        {problem ? <ErrorState problem={problem} retry={retry} /> : <Skeleton height={600} />}
      </>
    )
  }
  return (
    <>
      <PageHeader
        title={campaign.name}
        breadcrumbs={breadcrumbs}
        badge={<StatusBadge status={campaign.state} />}
        description={[KINDS.find(({ value }) => value === campaign.kind)?.label, shop?.name, campaign.accountName]
          .filter(Boolean)
          .join(' · ')}
        actions={
          mayChange(campaign) && (
            <>
              {campaign.state === 'ARCHIVED' && <DeleteCampaign campaign={campaign} />}
              <ArchiveButton campaign={campaign} />
              <Button component={Link} to={copyPath} variant="default" leftSection={<IconCopy size={16} aria-hidden />}>
                {t('duplicate')}
              </Button>
              <CampaignSwitch campaign={campaign} size="sm" />
              {campaign.state !== 'ARCHIVED' && (
                <Button component={Link} to={editPath} leftSection={<IconPencil size={16} aria-hidden />}>
                  {t('edit')}
                </Button>
              )}
            </>
          )
        }
      />
      <Stack gap="md">
        <StateReason campaign={campaign} shop={shop} />
        <CampaignFigures campaignId={id} shop={shop} />
        <Settings campaign={campaign} shop={shop} />
        <Targeting campaign={campaign} shop={shop} />
        {campaign.kind === 'SPONSORED' ? (
          <CampaignProducts campaign={campaign} timeZone={shop?.timeZone} />
        ) : (
          <>
            <CampaignBanners campaign={campaign} timeZone={shop?.timeZone} />
            <ModerationHistory campaign={campaign} timeZone={shop?.timeZone} />
          </>
        )}
        <History campaign={campaign} shop={shop} />
      </Stack>
    </>
  )
}

/** Archives a campaign that cannot run, or restores it. */
function ArchiveButton({ campaign: { id, name, state } }: { campaign: Campaign }) {
  const isArchived = state === 'ARCHIVED'
  const { submit, isSaving } = useSave({
    save: () =>
      answer(client.PATCH('/v1/panel/campaigns/{id}', { params: { path: { id } }, body: { archived: !isArchived } })),
    changes: ['/v1/panel/campaigns'],
    saved: isArchived ? t('isRestored', { name }) : t('isArchived', { name }),
  })
  if (!isArchived && !ARCHIVABLE.has(state)) return null
  const Icon = isArchived ? IconArchiveOff : IconArchive
  return (
    <Button
      variant="default"
      leftSection={<Icon size={16} aria-hidden />}
      loading={isSaving}
      onClick={() => void submit(undefined)}
    >
      {isArchived ? t('restore') : t('archive')}
    </Button>
  )
}

/** Deletes a campaign permanently. While a campaign exists, even archived, its shop and account cannot be deleted. */
function DeleteCampaign({ campaign: { id, name, version } }: { campaign: Campaign }) {
  const navigate = useNavigate()
  const { submit } = useSave({
    save: () =>
      answer(client.DELETE('/v1/panel/campaigns/{id}', { params: { path: { id }, header: ifMatch(version) } })),
    changes: ['/v1/panel/campaigns'],
    saved: t('isDeleted', { name }),
    onSaved: () => navigate('/campaigns'),
  })
  return (
    <DeleteButton
      what={t('deleteWhat')}
      name={name}
      path="/v1/panel/campaigns/{id}/deletion"
      id={id}
      message={t('deleteHelp')}
      onConfirm={() => submit(undefined)}
    />
  )
}

/** Every decision of the publisher on the banners, latest first. */
function ModerationHistory({ campaign, timeZone }: { campaign: Campaign; timeZone: string | undefined }) {
  const history = campaign.moderation?.history ?? []
  return (
    <PanelCard title={t('moderation')}>
      {history.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('notDecided')}
        </Text>
      ) : (
        <Timeline bulletSize={12} lineWidth={2}>
          {[...history].reverse().map(({ state, reason, decidedAt, decidedByName }) => (
            <Timeline.Item key={decidedAt} title={<StatusBadge status={state} />}>
              {reason && <Text size="sm">{reason}</Text>}
              <Text size="xs" c="dimmed">
                <DateTime at={decidedAt} timeZone={timeZone} />
                {decidedByName && `, ${decidedByName}`}
              </Text>
            </Timeline.Item>
          ))}
        </Timeline>
      )}
    </PanelCard>
  )
}
