import { Button, EmptyState } from '@mantine/core'
import { IconBuildingStore } from '@tabler/icons-react'
import { Link } from 'react-router'

/** Shown on the pages of a shop while there is none. */
export function NoShop() {
  return (
    <EmptyState
      py="xl"
      icon={<IconBuildingStore />}
      title="No shop yet"
      description="Products, placements and banners belong to a shop. Make the first one."
    >
      <EmptyState.Actions>
        <Button component={Link} to="/shops/new">
          New shop
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  )
}
