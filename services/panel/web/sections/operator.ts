import { IconBuildingStore, IconHeartbeat, IconKey, IconShieldLock, IconUsers } from '@tabler/icons-react'
import type { PageEntry } from './page.ts'

const group = 'Administration'
const operator = ['OPERATOR'] as const
const everyone = ['OPERATOR', 'PUBLISHER', 'ADVERTISER'] as const

/** Accounts, users, tokens and the state of the system. */
export const operatorPages: readonly PageEntry[] = [
  {
    path: 'accounts',
    roles: operator,
    load: () => import('../pages/administration/accounts/accounts-page.tsx'),
    nav: { group, label: 'Accounts', icon: IconBuildingStore },
  },
  {
    path: 'accounts/new',
    roles: operator,
    load: () => import('../pages/administration/accounts/account-new-page.tsx'),
  },
  { path: 'accounts/:id', roles: operator, load: () => import('../pages/administration/accounts/account-page.tsx') },
  {
    path: 'users',
    roles: everyone,
    load: () => import('../pages/administration/access/users-page.tsx'),
    nav: { group, label: 'Users', icon: IconUsers },
  },
  {
    path: 'tokens',
    roles: everyone,
    load: () => import('../pages/administration/access/tokens-page.tsx'),
    nav: { group, label: 'API tokens', icon: IconKey },
  },
  {
    path: 'security-log',
    roles: everyone,
    load: () => import('../pages/administration/access/security-log-page.tsx'),
    nav: { group, label: 'Security log', icon: IconShieldLock },
  },
  {
    path: 'health',
    roles: operator,
    load: () => import('../pages/administration/health/health-page.tsx'),
    nav: { group, label: 'System health', icon: IconHeartbeat },
  },
]
