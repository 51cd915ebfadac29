import { ActionIcon, Button, Group, Skeleton, Stack, Text, Tooltip } from '@mantine/core'
import { IconPencil, IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { AdUnit, Placement } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { allOf } from '../../../data/use-list.ts'
import { algorithms } from './algorithms.ts'

const columns: Column<AdUnit>[] = [
  { title: 'Ad unit', cell: ({ name }) => name },
  { title: 'Algorithm', cell: ({ algorithm }) => algorithms[algorithm].label, width: '26%' },
  { title: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: 120 },
  { title: 'slotHash', cell: ({ slotHash }) => <CopyField value={slotHash} label="slotHash" />, width: 360 },
]

export const placementKinds = { PRODUCT: 'Sponsored products', DISPLAY: 'Banners' } as const

export interface PlacementCardProps {
  placement: Placement
  units: readonly AdUnit[]
  edit: () => void
}

export function PlacementCard({ placement: { id, name, kind }, units, edit }: PlacementCardProps) {
  return (
    <PanelCard
      title={name}
      description={placementKinds[kind]}
      actions={
        <Group gap="xs">
          <Tooltip label={`Edit the placement ${name}`}>
            <ActionIcon variant="default" size={30} aria-label={`Edit the placement ${name}`} onClick={edit}>
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
            New ad unit
          </Button>
        </Group>
      }
    >
      {units.length === 0 ? (
        <Text size="sm" c="dimmed">
          No ad unit yet: nothing is shown here.
        </Text>
      ) : (
        <DataTable
          label={`Ad units of ${name}`}
          list={allOf(units)}
          columns={columns}
          rowKey={(unit) => unit.id}
          rowLink={(unit) => `/ad-units/${unit.id}`}
          empty={{ title: 'No ad units' }}
        />
      )}
    </PanelCard>
  )
}

export function PlacementSkeleton() {
  return (
    <Stack gap="md" aria-busy>
      {[0, 1, 2].map((i) => (
        <Skeleton key={i} height={170} />
      ))}
    </Stack>
  )
}
