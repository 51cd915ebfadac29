import type { HttpServer } from '../../../http/server.ts'
import { type SecondFactorRoutesDeps, secondFactorRoutes } from '../second-factor/routes.ts'
import { createAttempts } from '../sessions/attempts.ts'
import { createKnownDevices } from '../sessions/known-device.ts'
import { type SessionRoutesDeps, sessionRoutes } from '../sessions/routes.ts'
import { linkRoutes } from './link-routes.ts'
import { type UserRoutesDeps, userRoutes } from './routes.ts'

export type UsersAppDeps = Omit<UserRoutesDeps & SessionRoutesDeps & SecondFactorRoutesDeps, 'attempts' | 'devices'> & {
  /** That sessions are signed with, the newest first. */
  sessionKeys: readonly Buffer[]
}

/** Who may use the panel, and who does. For `server.register`. */
export function usersApp(deps: UsersAppDeps) {
  return async (server: HttpServer): Promise<void> => {
    server.setSerializerCompiler(() => JSON.stringify)
    const shared = {
      ...deps,
      attempts: createAttempts(deps),
      devices: createKnownDevices({ ...deps, keys: deps.sessionKeys }),
    }
    userRoutes(server, shared)
    sessionRoutes(server, shared)
    linkRoutes(server, shared)
    secondFactorRoutes(server, shared)
  }
}
