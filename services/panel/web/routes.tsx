import { createBrowserRouter } from 'react-router'
import type { Role } from './client/types.ts'
import { pagesOf } from './sections/all.ts'
import { BrokenPage } from './shell/broken-page.tsx'
import { NotFoundPage } from './shell/not-found-page.tsx'
import { PageSkeleton } from './shell/page-skeleton.tsx'
import { Shell } from './shell/shell.tsx'

/** The pages of a role within the shell; each is loaded when it is first looked at. */
export function createRoutes(role: Role) {
  const pages = pagesOf(role).map(({ path, load }) => ({
    path,
    ErrorBoundary: BrokenPage,
    lazy: async () => ({ Component: (await load()).default }),
  }))
  const shell = {
    Component: Shell,
    HydrateFallback: PageSkeleton,
    children: [...pages, { path: '*', Component: NotFoundPage }],
  }
  return createBrowserRouter([shell], { basename: '/panel' })
}
