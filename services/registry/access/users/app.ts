import type { HttpServer } from '../../../http/server.ts'
import type { ResourceDeps } from '../../resources/resource.ts'
import { type SecondFactorRoutesDeps, secondFactorRoutes } from '../second-factor/routes.ts'
import { createAttempts } from '../sessions/attempts.ts'
import { createKnownDevices } from '../sessions/known-device.ts'
import { type SessionRoutesDeps, sessionRoutes } from '../sessions/routes.ts'
import { linkRoutes } from './link-routes.ts'
import { type UserRoutesDeps, userRoutes } from './routes.ts'

export type UsersAppDeps = Omit<UserRoutesDeps & SessionRoutesDeps & SecondFactorRoutesDeps, 'attempts' | 'devices'> & {
  /** Keys that sign sessions, the newest first. */
  sessionKeys: readonly Buffer[]
}

/** Users of the panel and their sessions. For `server.register`. */
export function usersApp(deps: UsersAppDeps) {
  const { registry, access, authorize, uuid, securityLog, sessions, sessionKeys, publicUrl, now, randomBytes } = deps
  const { passwords, strength, passwordMail, secondFactors, sealing } = deps
  return async (server: HttpServer): Promise<void> => {
    server.setSerializerCompiler(() => JSON.stringify)
    const attempts = createAttempts({ now })
    const devices = createKnownDevices({ keys: sessionKeys, publicUrl, now, uuid })
    const resource: ResourceDeps = { registry, access, authorize, uuid, securityLog }
    const users = { ...resource, sessions, passwords, strength, passwordMail, publicUrl, randomBytes, now }
    userRoutes(server, users)
    const signIn = { registry, sessions, passwords, attempts, devices, secondFactors, securityLog, publicUrl, now }
    sessionRoutes(server, signIn)
    linkRoutes(server, { ...users, attempts, devices })
    secondFactorRoutes(server, { ...resource, sessions, secondFactors, sealing, now, randomBytes })
  }
}
