import type { Icon } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { Role } from '../client/types.ts'

/** Groups of the navigation, in its order. */
export const navGroups = ['Overview', 'Shop', 'Advertising', 'Reports', 'Administration'] as const
export type NavGroup = (typeof navGroups)[number]

/** A page of the panel. */
export interface PageEntry {
  /** Below /panel/, in the words of React Router: `accounts/:id`. */
  path: string
  /** Who has it; for others, the address does not exist. */
  roles: readonly Role[]
  /** Loaded when it is first looked at: `() => import('../pages/…')`. */
  load: () => Promise<{ default: ComponentType }>
  /** Its place in the navigation; without it, other pages lead to it. */
  nav?: { group: NavGroup; label: string; icon: Icon }
}
