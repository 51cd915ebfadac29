import { IconSpeakerphone } from '@tabler/icons-react'
import type { PageEntry } from './page.ts'

const roles = ['ADVERTISER', 'PUBLISHER', 'OPERATOR'] as const

/** Campaigns. */
export const advertiserPages: readonly PageEntry[] = [
  {
    path: 'campaigns',
    roles,
    load: () => import('../pages/campaigns/campaigns-page.tsx'),
    nav: { group: 'Advertising', label: 'Campaigns', icon: IconSpeakerphone },
  },
  { path: 'campaigns/new', roles, load: () => import('../pages/campaigns/editor/campaign-new-page.tsx') },
  { path: 'campaigns/:id', roles, load: () => import('../pages/campaigns/campaign-page.tsx') },
  { path: 'campaigns/:id/edit', roles, load: () => import('../pages/campaigns/editor/campaign-edit-page.tsx') },
]
