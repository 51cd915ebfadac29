import {
  type Icon,
  IconBuildingStore,
  IconChartLine,
  IconGavel,
  IconHeartbeat,
  IconHome,
  IconKey,
  IconLayoutGrid,
  IconListSearch,
  IconPackage,
  IconReceipt,
  IconRoute,
  IconRss,
  IconShieldLock,
  IconSpeakerphone,
  IconTemplate,
  IconUsers,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { Role } from './client/types.ts'

/** Groups of the navigation, in its order. */
export const navGroups = ['Overview', 'Shop', 'Advertising', 'Reports', 'Administration'] as const
export type NavGroup = (typeof navGroups)[number]

/** A page of the panel. */
export interface PageEntry {
  /** The path below /panel/, as React Router writes it: `accounts/:id`. */
  path: string
  /** The roles that have the page; for others, the address does not exist. */
  roles: readonly Role[]
  /** Loads the code of the page when it is first opened: `() => import('./pages/…')`. */
  load: () => Promise<{ default: ComponentType }>
  /** Its place in the navigation; a page without one is reached by links of other pages. */
  nav?: { group: NavGroup; label: string; icon: Icon }
}

const everyone: readonly Role[] = ['OPERATOR', 'PUBLISHER', 'ADVERTISER']
const publishers: readonly Role[] = ['OPERATOR', 'PUBLISHER']
const operators: readonly Role[] = ['OPERATOR']

/** The first page: each role has its own. */
const homePages: readonly PageEntry[] = [
  {
    path: '',
    roles: everyone,
    load: () => import('./pages/home/home-page.tsx'),
    nav: { group: 'Overview', label: 'Home', icon: IconHome },
  },
]

/** The shops of a publisher: placements, ad units, formats, feeds, products, moderation. */
const publisherPages: readonly PageEntry[] = [
  {
    path: 'moderation',
    roles: publishers,
    load: () => import('./pages/publisher/moderation/moderation-page.tsx'),
    nav: { group: 'Shop', label: 'Moderation', icon: IconGavel },
  },
  {
    path: 'placements',
    roles: publishers,
    load: () => import('./pages/publisher/ad-units/placements-page.tsx'),
    nav: { group: 'Shop', label: 'Placements', icon: IconLayoutGrid },
  },
  {
    path: 'technical-units',
    roles: publishers,
    load: () => import('./pages/publisher/ad-units/technical-units-page.tsx'),
  },
  { path: 'ad-units/new', roles: publishers, load: () => import('./pages/publisher/ad-units/ad-unit-new-page.tsx') },
  { path: 'ad-units/:id', roles: publishers, load: () => import('./pages/publisher/ad-units/ad-unit-page.tsx') },
  {
    path: 'ad-formats',
    roles: publishers,
    load: () => import('./pages/publisher/ad-formats/ad-formats-page.tsx'),
    nav: { group: 'Shop', label: 'Ad formats', icon: IconTemplate },
  },
  {
    path: 'ad-formats/new',
    roles: publishers,
    load: () => import('./pages/publisher/ad-formats/ad-format-new-page.tsx'),
  },
  {
    path: 'feeds',
    roles: publishers,
    load: () => import('./pages/publisher/feeds/feeds-page.tsx'),
    nav: { group: 'Shop', label: 'Feeds', icon: IconRss },
  },
  { path: 'feeds/new', roles: publishers, load: () => import('./pages/publisher/feeds/feed-new-page.tsx') },
  { path: 'feeds/:id', roles: publishers, load: () => import('./pages/publisher/feeds/feed-page.tsx') },
  { path: 'feeds/:id/runs/:run', roles: publishers, load: () => import('./pages/publisher/feeds/run-page.tsx') },
  {
    path: 'products',
    roles: publishers,
    load: () => import('./pages/publisher/products/products-page.tsx'),
    nav: { group: 'Shop', label: 'Products', icon: IconPackage },
  },
  { path: 'products/:id', roles: publishers, load: () => import('./pages/publisher/products/product-page.tsx') },
  {
    path: 'shops',
    roles: publishers,
    load: () => import('./pages/publisher/shops/shops-page.tsx'),
    nav: { group: 'Shop', label: 'Shops', icon: IconBuildingStore },
  },
  { path: 'shops/new', roles: publishers, load: () => import('./pages/publisher/shops/shop-new-page.tsx') },
  { path: 'shops/:id', roles: publishers, load: () => import('./pages/publisher/shops/shop-page.tsx') },
]

/** Campaigns. */
const advertiserPages: readonly PageEntry[] = [
  {
    path: 'campaigns',
    roles: everyone,
    load: () => import('./pages/campaigns/campaigns-page.tsx'),
    nav: { group: 'Advertising', label: 'Campaigns', icon: IconSpeakerphone },
  },
  { path: 'campaigns/new', roles: everyone, load: () => import('./pages/campaigns/editor/campaign-new-page.tsx') },
  { path: 'campaigns/:id', roles: everyone, load: () => import('./pages/campaigns/campaign-page.tsx') },
  {
    path: 'campaigns/:id/edit',
    roles: everyone,
    load: () => import('./pages/campaigns/editor/campaign-edit-page.tsx'),
  },
]

/** Reports and explanations. */
const reportPages: readonly PageEntry[] = [
  {
    path: 'reports',
    roles: everyone,
    load: () => import('./pages/reports/report-page.tsx'),
    nav: { group: 'Reports', label: 'Reports', icon: IconChartLine },
  },
  {
    path: 'sales',
    roles: everyone,
    load: () => import('./pages/explain/sales-page.tsx'),
    nav: { group: 'Reports', label: 'Sales', icon: IconReceipt },
  },
  { path: 'sales/:shopId/:eventId', roles: everyone, load: () => import('./pages/explain/sale-page.tsx') },
  {
    path: 'visitors',
    roles: publishers,
    load: () => import('./pages/visitors/visitors-page.tsx'),
    nav: { group: 'Reports', label: 'Visitors', icon: IconRoute },
  },
  {
    path: 'ad-requests',
    roles: everyone,
    load: () => import('./pages/explain/ad-request-page.tsx'),
    nav: { group: 'Reports', label: 'Ad requests', icon: IconListSearch },
  },
]

/** Accounts, users, tokens and the state of the system. */
const operatorPages: readonly PageEntry[] = [
  {
    path: 'accounts',
    roles: operators,
    load: () => import('./pages/administration/accounts/accounts-page.tsx'),
    nav: { group: 'Administration', label: 'Accounts', icon: IconBuildingStore },
  },
  {
    path: 'accounts/new',
    roles: operators,
    load: () => import('./pages/administration/accounts/account-new-page.tsx'),
  },
  { path: 'accounts/:id', roles: operators, load: () => import('./pages/administration/accounts/account-page.tsx') },
  {
    path: 'users',
    roles: everyone,
    load: () => import('./pages/administration/access/users-page.tsx'),
    nav: { group: 'Administration', label: 'Users', icon: IconUsers },
  },
  {
    path: 'tokens',
    roles: everyone,
    load: () => import('./pages/administration/access/tokens-page.tsx'),
    nav: { group: 'Administration', label: 'API tokens', icon: IconKey },
  },
  {
    path: 'security-log',
    roles: everyone,
    load: () => import('./pages/administration/access/security-log-page.tsx'),
    nav: { group: 'Administration', label: 'Security log', icon: IconShieldLock },
  },
  {
    path: 'health',
    roles: operators,
    load: () => import('./pages/administration/health/health-page.tsx'),
    nav: { group: 'Administration', label: 'System health', icon: IconHeartbeat },
  },
]

/** The pages that a role has, in the order of the navigation. */
export function pagesOf(role: Role): PageEntry[] {
  const all = [...homePages, ...publisherPages, ...advertiserPages, ...reportPages, ...operatorPages]
  return all.filter(({ roles }) => roles.includes(role))
}
