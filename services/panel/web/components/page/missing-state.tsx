import { Button, EmptyState } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import { t } from '../../messages/components.ts'

interface MissingStateProps {
  Sign: Icon
  title: string
  description: string
  retry: () => void
}

/** Says that there is no such thing, and looks again when asked: it may not be stored yet. */
export const MissingState = ({ Sign, title, description, retry }: MissingStateProps) => (
  <EmptyState py="xl" icon={<Sign />} title={title} description={description}>
    <EmptyState.Actions>
      <Button variant="default" size="xs" onClick={retry}>
        {t('lookAgain')}
      </Button>
    </EmptyState.Actions>
  </EmptyState>
)
