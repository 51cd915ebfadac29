import { Button, EmptyState } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

export interface ErrorStateProps {
  /** An ApiProblem says what is wrong in its message. */
  problem: Error
  retry?: () => void
}

/** Stands in place of content that could not be read. */
export function ErrorState({ problem, retry }: ErrorStateProps) {
  return (
    <EmptyState
      role="alert"
      py="xl"
      size="sm"
      icon={<IconAlertTriangle />}
      title="This could not be loaded"
      description={problem.message}
    >
      {retry && (
        <EmptyState.Actions>
          <Button variant="default" size="xs" onClick={retry}>
            Try again
          </Button>
        </EmptyState.Actions>
      )}
    </EmptyState>
  )
}
