import { IconHome } from '@tabler/icons-react'
import type { PageEntry } from './page.ts'

const nav = { group: 'Overview', label: 'Home', icon: IconHome } as const

/** The first page, another for each role. */
export const homePages: readonly PageEntry[] = [
  { path: '', roles: ['OPERATOR'], load: () => import('../pages/home/operator-home.tsx'), nav },
  { path: '', roles: ['PUBLISHER'], load: () => import('../pages/home/publisher-home.tsx'), nav },
  { path: '', roles: ['ADVERTISER'], load: () => import('../pages/home/advertiser-home.tsx'), nav },
]
