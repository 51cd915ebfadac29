import { Button, EmptyState } from '@mantine/core'
import { IconAlertTriangle, IconCloudOff } from '@tabler/icons-react'
import { isNoAnswer } from '../../client/problem.ts'
import { t } from '../../messages/shell.ts'

export interface ErrorStateProps {
  /** The message of an ApiProblem says what is wrong. */
  problem: Error
  retry?: () => void
}

/** Shown instead of content that could not be read. Without a connection, the content is read again once the server answers. */
export function ErrorState({ problem, retry }: ErrorStateProps) {
  const isAway = isNoAnswer(problem)
  return (
    <EmptyState
      role="alert"
      py="xl"
      size="sm"
      icon={isAway ? <IconCloudOff /> : <IconAlertTriangle />}
      title={isAway ? t('noConnection') : t('notLoaded')}
      description={isAway ? t('loadsByItself') : problem.message}
    >
      {retry && (
        <EmptyState.Actions>
          <Button variant="default" size="xs" onClick={retry}>
            {t('tryAgain')}
          </Button>
        </EmptyState.Actions>
      )}
    </EmptyState>
  )
}
