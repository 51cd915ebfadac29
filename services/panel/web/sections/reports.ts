import { IconChartLine, IconListSearch, IconReceipt, IconRoute } from '@tabler/icons-react'
import type { PageEntry } from './page.ts'

const roles = ['PUBLISHER', 'ADVERTISER', 'OPERATOR'] as const
const group = 'Reports'

/** Reports and explanations. */
export const reportPages: readonly PageEntry[] = [
  {
    path: 'reports',
    roles,
    load: () => import('../pages/reports/report-page.tsx'),
    nav: { group, label: 'Reports', icon: IconChartLine },
  },
  {
    path: 'sales',
    roles,
    load: () => import('../pages/explain/sales-page.tsx'),
    nav: { group, label: 'Sales', icon: IconReceipt },
  },
  { path: 'sales/:shopId/:eventId', roles, load: () => import('../pages/explain/sale-page.tsx') },
  {
    path: 'visitors',
    roles: ['PUBLISHER', 'OPERATOR'],
    load: () => import('../pages/visitors/visitors-page.tsx'),
    nav: { group, label: 'Visitors', icon: IconRoute },
  },
  {
    path: 'ad-requests',
    roles,
    load: () => import('../pages/explain/ad-request-page.tsx'),
    nav: { group, label: 'Ad requests', icon: IconListSearch },
  },
]
