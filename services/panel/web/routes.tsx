import { Button, EmptyState } from '@mantine/core'
import { IconAlertTriangle, IconMapOff } from '@tabler/icons-react'
import { createBrowserRouter, Link } from 'react-router'
import { baseOf } from './client/account-address.ts'
import { ownAccountId } from './client/client.ts'
import type { Role } from './client/types.ts'
import { lazyPage, PageSkeleton } from './components/loading/lazy.tsx'
import { PageHeader } from './components/page/page-header.tsx'
import { t } from './messages/shell.ts'
import { pagesOf } from './pages.ts'
import { Shell } from './shell/panel-shell.tsx'

/** The routes of a role inside the shell. The code of a page is loaded when it is first opened. */
export function createRoutes(role: Role) {
  const pages = pagesOf(role).map((page) => ({
    path: page.path,
    handle: page,
    ErrorBoundary: BrokenPage,
    lazy: async () => ({ Component: await lazyPage(page.load) }),
  }))
  const shell = {
    Component: Shell,
    HydrateFallback: PageSkeleton,
    children: [...pages, { path: '*', Component: NotFoundPage }],
  }
  return createBrowserRouter([shell], { basename: baseOf(ownAccountId) })
}

/** Shown when a page fails. The shell stays. */
function BrokenPage() {
  return (
    <EmptyState
      mt="xl"
      role="alert"
      icon={<IconAlertTriangle />}
      title={t('pageFailed')}
      description={t('pageFailedHelp')}
    >
      <EmptyState.Actions>
        <Button onClick={() => location.reload()}>{t('loadAgain')}</Button>
      </EmptyState.Actions>
    </EmptyState>
  )
}

/** Shown for unknown addresses. */
function NotFoundPage() {
  return (
    <>
      <PageHeader title={t('notFound')} />
      <EmptyState mt="xl" icon={<IconMapOff />} title={t('nothingHere')} description={t('nothingHereHelp')}>
        <EmptyState.Actions>
          <Button component={Link} to="/" variant="default">
            {t('goHome')}
          </Button>
        </EmptyState.Actions>
      </EmptyState>
    </>
  )
}
