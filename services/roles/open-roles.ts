import type { Role } from '../../infra/config.ts'
import type { Part, Shared, SharedOfMain } from './part.ts'

/** The roles that several threads may serve at once. */
const publicRoles = {
  selection: async (shared: Shared): Promise<Part> => (await import('./selection.ts')).openSelection(shared),
  intake: async (shared: Shared): Promise<Part> => (await import('./intake.ts')).openIntake(shared),
}

/** Roles are loaded only where they run, so that a process of one role restarts faster. */
const allRoles: Readonly<Record<Role, (shared: SharedOfMain) => Promise<Part>>> = {
  registry: async (shared) => (await import('./registry.ts')).openRegistryRole(shared),
  ...publicRoles,
  streams: async (shared) => (await import('./streams.ts')).openStreams(shared),
}

export const openRoles = (roles: readonly Role[], shared: SharedOfMain): Promise<Part[]> =>
  Promise.all(roles.map((role) => allRoles[role](shared)))

/** Opens those of the roles that several threads may serve. */
export const openPublicRoles = (roles: readonly Role[], shared: Shared): Promise<Part[]> =>
  Promise.all(roles.flatMap((role) => (isPublic(role) ? [publicRoles[role](shared)] : [])))

const isPublic = (role: Role): role is keyof typeof publicRoles => role in publicRoles
