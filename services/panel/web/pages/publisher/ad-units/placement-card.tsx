import { ActionIcon, Button, Group, Skeleton, Stack, Text, Tooltip } from '@mantine/core'
import { IconPencil, IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { AdUnit, Placement } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { allOf } from '../../../data/use-list.ts'
import { t as words } from '../../../messages/pages/shop/algorithms.ts'
import { t } from '../../../messages/pages/shop/placements.ts'

const columns: Column<AdUnit>[] = [
  { title: t('adUnit'), cell: ({ name }) => name },
  { title: t('algorithm'), cell: ({ algorithm }) => words(algorithm), width: '26%' },
  { title: t('status'), cell: ({ status }) => <StatusBadge status={status} />, width: 120 },
  { title: t('adUnitId'), cell: ({ slotHash }) => <CopyField value={slotHash} label={t('adUnitId')} />, width: 360 },
]

export interface PlacementCardProps {
  placement: Placement
  units: readonly AdUnit[]
  edit: () => void
}

export function PlacementCard({ placement: { id, name, kind }, units, edit }: PlacementCardProps) {
  return (
    <PanelCard
      title={name}
      description={t(kind)}
      actions={
        <Group gap="xs">
          <Tooltip label={t('edit', { name })}>
            <ActionIcon variant="default" size={30} aria-label={t('edit', { name })} onClick={edit}>
              <IconPencil size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Button
            component={Link}
            to={`/ad-units/new?placement=${id}`}
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
          >
            {t('newUnit')}
          </Button>
        </Group>
      }
    >
      {units.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('noUnits')}
        </Text>
      ) : (
        <DataTable
          label={t('unitsOf', { name })}
          list={allOf(units)}
          columns={columns}
          rowKey={(unit) => unit.id}
          rowLink={(unit) => `/ad-units/${unit.id}`}
          empty={{ title: t('noUnits') }}
        />
      )}
    </PanelCard>
  )
}

export function PlacementSkeleton() {
  return (
    <Stack gap="md" role="status" aria-busy aria-label={t('loading')}>
      {[0, 1, 2].map((i) => (
        <Skeleton key={i} height={170} />
      ))}
    </Stack>
  )
}
