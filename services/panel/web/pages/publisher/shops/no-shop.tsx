import { Button, EmptyState } from '@mantine/core'
import { IconBuildingStore } from '@tabler/icons-react'
import { Link } from 'react-router'
import { t } from '../../../messages/pages/shops.ts'

/** Shown on pages about a shop while there is no shop. */
export function NoShop() {
  return (
    <EmptyState py="xl" icon={<IconBuildingStore />} title={t('noShopYet')} description={t('noShopHelp')}>
      <EmptyState.Actions>
        <Button component={Link} to="/shops/new">
          {t('newShop')}
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  )
}
