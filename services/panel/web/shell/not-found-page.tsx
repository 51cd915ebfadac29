import { Button, EmptyState } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { Link } from 'react-router'
import { PageHeader } from '../components/page/page-header.tsx'

/** For addresses without a page, and for things that are gone. */
export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState
        mt="xl"
        icon={<IconMapOff />}
        title="There is nothing here"
        description="The address is wrong, or what it showed has been deleted."
      >
        <EmptyState.Actions>
          <Button component={Link} to="/" variant="default">
            Go home
          </Button>
        </EmptyState.Actions>
      </EmptyState>
    </>
  )
}
