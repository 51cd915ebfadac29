import { Button, EmptyState } from '@mantine/core'
import { IconAlertTriangle, IconCloudOff, IconMapOff } from '@tabler/icons-react'
import { ApiProblem, isNoAnswer } from '../../client/problem.ts'
import { t } from '../../messages/shell.ts'

export interface ErrorStateProps {
  /** The message of an ApiProblem says what is wrong. */
  problem: Error
  retry?: () => void
}

/**
 * Shown instead of content that could not be read. Without a connection, the content is read again once the server answers; what
 * does not exist is not there for another try either.
 */
export function ErrorState({ problem, retry }: ErrorStateProps) {
  const { Sign, title, description } = wordsFor(problem)
  return (
    <EmptyState role="alert" py="xl" size="sm" icon={<Sign />} title={title} description={description}>
      {retry && !isMissing(problem) && (
        <EmptyState.Actions>
          <Button variant="default" size="xs" onClick={retry}>
            {t('tryAgain')}
          </Button>
        </EmptyState.Actions>
      )}
    </EmptyState>
  )
}

const isMissing = (problem: Error) => problem instanceof ApiProblem && problem.status === 404

function wordsFor(problem: Error) {
  const { message } = problem
  if (isNoAnswer(problem)) return { Sign: IconCloudOff, title: t('noConnection'), description: t('loadsByItself') }
  if (isMissing(problem)) return { Sign: IconMapOff, title: t('notFound'), description: t('missing', { message }) }
  return { Sign: IconAlertTriangle, title: t('notLoaded'), description: message }
}
