import { Button, EmptyState, Group, Stack } from '@mantine/core'
import { IconLayoutGrid, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Placement } from '../../../client/types.ts'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { newest, PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/shop/placements.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'
import { PlacementCard, PlacementSkeleton } from './placement-card.tsx'
import { PlacementDialog } from './placement-dialog.tsx'

/** The placements of a shop, each with its ad units. */
export default function PlacementsPage() {
  const { shop, shops } = useShop()
  const query = { shopId: shop?.id }
  const enabled = shop !== undefined
  const placements = useList('/v1/panel/placements', { query, pageSize: PAGE_SIZE_MAX, enabled })
  const units = useList('/v1/panel/ad-units', { query, pageSize: PAGE_SIZE_MAX, enabled })
  const [edited, setEdited] = useState<Placement | 'new' | null>(null)

  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
      {t('newPlacement')}
    </Button>
  )
  const problem = placements.problem ?? units.problem
  const isThere = placements.items !== undefined && units.items !== undefined
  const names = placements.items?.toSorted((a, b) => a.name.localeCompare(b.name))
  return (
    <>
      <PageHeader
        title={t('placements')}
        description={t('about')}
        actions={
          shop && (
            <>
              <Button component={Link} to="/technical-units" variant="default">
                {t('technicalUnits')}
              </Button>
              {create}
            </>
          )
        }
      />
      {shops && !shop && <NoShop />}
      {problem && !isThere && (
        <ErrorState problem={problem} retry={placements.problem ? placements.retry : units.retry} />
      )}
      {!problem && !isThere && !(shops && !shop) && <PlacementSkeleton />}
      {isThere && names?.length === 0 && (
        <EmptyState py="xl" icon={<IconLayoutGrid />} title={t('none')} description={t('noneHelp')}>
          <EmptyState.Actions>
            <Group>{create}</Group>
          </EmptyState.Actions>
        </EmptyState>
      )}
      <Stack gap="md">
        {isThere &&
          names?.map((placement) => (
            <PlacementCard
              key={placement.id}
              placement={placement}
              units={units.items!.filter(({ placementId }) => placementId === placement.id)}
              edit={() => setEdited(placement)}
            />
          ))}
      </Stack>
      {edited && shop && (
        <PlacementDialog
          placement={edited === 'new' ? undefined : newest(placements.items, edited)}
          shopId={shop.id}
          close={() => setEdited(null)}
        />
      )}
    </>
  )
}
