import { Button, EmptyState } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

/** When a page fails, or its code cannot be loaded because a newer version has been installed: the rest of the panel stays. */
export function BrokenPage() {
  return (
    <EmptyState
      mt="xl"
      role="alert"
      icon={<IconAlertTriangle />}
      title="This page has failed"
      description="Load it again. If that does not help, tell the operator what you did."
    >
      <EmptyState.Actions>
        <Button onClick={() => location.reload()}>Load again</Button>
      </EmptyState.Actions>
    </EmptyState>
  )
}
