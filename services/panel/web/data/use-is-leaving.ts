import { createContext, use, useCallback } from 'react'
import { type DataRouter, useHref, useLocation, useNavigation } from 'react-router'

/** The router of the panel. */
export const RouterContext = createContext<DataRouter | null>(null)

/**
 * Returns a function that tells whether another page is on its way. Whoever changes the address then, would keep the user on this
 * one. It asks the router, because what is rendered is late: React renders a navigation after everything that is more urgent.
 * The function is a new one with each navigation, so that an effect which depends on it runs again when one was given up.
 */
export function useIsLeaving(): () => boolean {
  const router = use(RouterContext)
  if (!router) throw new Error('There is no RouterContext')
  const { pathname } = useLocation()
  const shown = useHref(pathname)
  const { location: rendered } = useNavigation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: each navigation makes a new function
  return useCallback(() => {
    const { navigation, location } = router.state
    return withoutSlash((navigation.location ?? location).pathname) !== withoutSlash(shown)
  }, [router, shown, rendered])
}

const withoutSlash = (path: string) => path.replace(/\/$/, '')
