import type { FastifyInstance } from 'fastify'

/** What each path knows: methods by the pattern of the route, in the words of the router (`:name`, `*`). */
type Routes = Map<string, { matches: RegExp; methods: Set<string> }>

/**
 * Tells the methods of paths, of all routes that are registered on `server` after the call, for answers 405 and to OPTIONS.
 * @returns the methods of a path (without its query) in alphabetical order, OPTIONS among them; none: there is no such path.
 */
export function methodsOf(server: Pick<FastifyInstance, 'addHook'>): (path: string) => string[] {
  const routes: Routes = new Map()
  server.addHook('onRoute', ({ url, method }) => {
    // The one of every path (CORS) says nothing of any.
    if (url === '*') return
    const route = routes.get(url) ?? { matches: patternOf(url), methods: new Set(['OPTIONS']) }
    routes.set(url, route)
    for (const each of [method].flat()) route.methods.add(each)
  })
  return (path) => {
    const found = [...routes.values()].filter(({ matches }) => matches.test(path))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort()
  }
}

/** As the router matches: a parameter is one segment, and a slash at the end does not count. */
function patternOf(url: string): RegExp {
  const segments = url.replace(/\/$/, '').split('/')
  const parts = segments.map((segment) => {
    if (segment === '*') return '.*'
    return segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}/?$`)
}
