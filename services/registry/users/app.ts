import type { HttpServer } from '../../http.ts'
import { countAttempts } from '../sessions/attempts.ts'
import { type SessionRoutesDeps, sessionRoutes } from '../sessions/routes.ts'
import { type UserRoutesDeps, userRoutes } from './routes.ts'

export type UsersAppDeps = Omit<UserRoutesDeps & SessionRoutesDeps, 'attempts'>

/** Who may use the panel, and who does. For `server.register`. */
export function usersApp(deps: UsersAppDeps) {
  return async (server: HttpServer): Promise<void> => {
    server.setSerializerCompiler(() => JSON.stringify)
    const attempts = await countAttempts(server)
    userRoutes(server, { ...deps, attempts })
    sessionRoutes(server, { ...deps, attempts })
  }
}
