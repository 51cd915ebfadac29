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
  IconSearch,
  IconShieldLock,
  IconSpeakerphone,
  IconTemplate,
  IconUsers,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { Role } from './client/types.ts'
import { t } from './messages/shell.ts'

/** Groups of the navigation, in its order. */
export const navGroups = ['overview', 'shop', 'advertising', 'reports', 'administration'] as const
export type NavGroup = (typeof navGroups)[number]

/** A page of the panel. */
export interface PageEntry {
  /** The path below /panel/, as React Router writes it: `accounts/:id`. */
  path: string
  /** The roles that may open the page. For other roles the address does not exist. */
  roles: readonly Role[]
  /** Loads the code of the page when it is first opened: `() => import('./pages/…')`. */
  load: () => Promise<{ default: ComponentType }>
  /** Either the page's own entry in the navigation, or the path of the entry that is marked while this page is shown. */
  nav: { group: NavGroup; label: string; icon: Icon } | { under: string }
  /** The roles for which the page shows only the shop chosen in the header. Default: none. */
  ofShop?: readonly Role[]
}

const everyone: readonly Role[] = ['OPERATOR', 'PUBLISHER', 'ADVERTISER']
const publishers: readonly Role[] = ['OPERATOR', 'PUBLISHER']
const operators: readonly Role[] = ['OPERATOR']
/** A publisher's home page shows one shop, an operator's shows all. */
const onlyPublishers: readonly Role[] = ['PUBLISHER']

/** The first page: each role has its own. */
const homePages: readonly PageEntry[] = [
  {
    path: '',
    roles: everyone,
    load: () => import('./pages/home/home-page.tsx'),
    nav: { group: 'overview', label: t('home'), icon: IconHome },
    ofShop: onlyPublishers,
  },
]

/** The shops of a publisher: placements, ad units, formats, feeds, products, moderation. */
const publisherPages: readonly PageEntry[] = [
  {
    path: 'moderation',
    roles: publishers,
    load: () => import('./pages/publisher/moderation/moderation-page.tsx'),
    nav: { group: 'shop', label: t('moderation'), icon: IconGavel },
    ofShop: publishers,
  },
  {
    path: 'placements',
    roles: publishers,
    load: () => import('./pages/publisher/ad-units/placements-page.tsx'),
    nav: { group: 'shop', label: t('placements'), icon: IconLayoutGrid },
    ofShop: publishers,
  },
  {
    path: 'technical-units',
    roles: publishers,
    load: () => import('./pages/publisher/ad-units/technical-units-page.tsx'),
    nav: { under: 'placements' },
    ofShop: publishers,
  },
  {
    path: 'ad-units/new',
    roles: publishers,
    load: () => import('./pages/publisher/ad-units/ad-unit-new-page.tsx'),
    nav: { under: 'placements' },
  },
  {
    path: 'ad-units/:id',
    roles: publishers,
    load: () => import('./pages/publisher/ad-units/ad-unit-page.tsx'),
    nav: { under: 'placements' },
  },
  {
    path: 'ad-formats',
    roles: publishers,
    load: () => import('./pages/publisher/ad-formats/ad-formats-page.tsx'),
    nav: { group: 'shop', label: t('adFormats'), icon: IconTemplate },
    ofShop: publishers,
  },
  {
    path: 'ad-formats/new',
    roles: publishers,
    load: () => import('./pages/publisher/ad-formats/ad-format-new-page.tsx'),
    nav: { under: 'ad-formats' },
    ofShop: publishers,
  },
  {
    path: 'feeds',
    roles: publishers,
    load: () => import('./pages/publisher/feeds/feeds-page.tsx'),
    nav: { group: 'shop', label: t('feeds'), icon: IconRss },
    ofShop: publishers,
  },
  {
    path: 'feeds/new',
    roles: publishers,
    load: () => import('./pages/publisher/feeds/feed-new-page.tsx'),
    nav: { under: 'feeds' },
    ofShop: publishers,
  },
  {
    path: 'feeds/:id',
    roles: publishers,
    load: () => import('./pages/publisher/feeds/feed-page.tsx'),
    nav: { under: 'feeds' },
  },
  {
    path: 'feeds/:id/runs/:run',
    roles: publishers,
    load: () => import('./pages/publisher/feeds/runs/run-page.tsx'),
    nav: { under: 'feeds' },
  },
  {
    path: 'products',
    roles: publishers,
    load: () => import('./pages/publisher/products/products-page.tsx'),
    nav: { group: 'shop', label: t('products'), icon: IconPackage },
    ofShop: publishers,
  },
  {
    path: 'products/:id',
    roles: publishers,
    load: () => import('./pages/publisher/products/product-page.tsx'),
    nav: { under: 'products' },
    ofShop: publishers,
  },
  {
    path: 'search',
    roles: publishers,
    load: () => import('./pages/publisher/search/search-page.tsx'),
    nav: { group: 'shop', label: t('search'), icon: IconSearch },
    ofShop: publishers,
  },
  {
    path: 'shops',
    roles: publishers,
    load: () => import('./pages/publisher/shops/shops-page.tsx'),
    nav: { group: 'shop', label: t('shops'), icon: IconBuildingStore },
  },
  {
    path: 'shops/new',
    roles: publishers,
    load: () => import('./pages/publisher/shops/shop-new-page.tsx'),
    nav: { under: 'shops' },
  },
  {
    path: 'shops/:id',
    roles: publishers,
    load: () => import('./pages/publisher/shops/shop-page.tsx'),
    nav: { under: 'shops' },
  },
]

/** Campaigns. */
const advertiserPages: readonly PageEntry[] = [
  {
    path: 'campaigns',
    roles: everyone,
    load: () => import('./pages/campaigns/campaigns-page.tsx'),
    nav: { group: 'advertising', label: t('campaigns'), icon: IconSpeakerphone },
    ofShop: publishers,
  },
  {
    path: 'campaigns/new',
    roles: everyone,
    load: () => import('./pages/campaigns/editor/campaign-new-page.tsx'),
    nav: { under: 'campaigns' },
  },
  {
    path: 'campaigns/:id',
    roles: everyone,
    load: () => import('./pages/campaigns/campaign-page.tsx'),
    nav: { under: 'campaigns' },
  },
  {
    path: 'campaigns/:id/edit',
    roles: everyone,
    load: () => import('./pages/campaigns/editor/campaign-edit-page.tsx'),
    nav: { under: 'campaigns' },
  },
]

/** Reports and explanations. */
const reportPages: readonly PageEntry[] = [
  {
    path: 'reports',
    roles: everyone,
    load: () => import('./pages/reports/report-page.tsx'),
    nav: { group: 'reports', label: t('reports'), icon: IconChartLine },
    ofShop: publishers,
  },
  {
    path: 'sales',
    roles: everyone,
    load: () => import('./pages/sales/sales-page.tsx'),
    nav: { group: 'reports', label: t('sales'), icon: IconReceipt },
    ofShop: publishers,
  },
  {
    path: 'sales/:shopId/:eventId',
    roles: everyone,
    load: () => import('./pages/sales/sale-page.tsx'),
    nav: { under: 'sales' },
  },
  {
    path: 'visitors',
    roles: publishers,
    load: () => import('./pages/visitors/visitors-page.tsx'),
    nav: { group: 'reports', label: t('visitors'), icon: IconRoute },
    ofShop: publishers,
  },
  {
    path: 'ad-requests',
    roles: everyone,
    load: () => import('./pages/ad-requests/ad-requests-page.tsx'),
    nav: { group: 'reports', label: t('adRequests'), icon: IconListSearch },
    ofShop: publishers,
  },
  {
    path: 'ad-requests/:requestId',
    roles: everyone,
    load: () => import('./pages/ad-requests/ad-request-page.tsx'),
    nav: { under: 'ad-requests' },
  },
]

/** Accounts, users, tokens and the state of the system. */
const operatorPages: readonly PageEntry[] = [
  {
    path: 'accounts',
    roles: operators,
    load: () => import('./pages/administration/accounts/accounts-page.tsx'),
    nav: { group: 'administration', label: t('accounts'), icon: IconBuildingStore },
  },
  {
    path: 'accounts/new',
    roles: operators,
    load: () => import('./pages/administration/accounts/account-new-page.tsx'),
    nav: { under: 'accounts' },
  },
  {
    path: 'accounts/:id',
    roles: operators,
    load: () => import('./pages/administration/accounts/account-page.tsx'),
    nav: { under: 'accounts' },
  },
  {
    path: 'users',
    roles: everyone,
    load: () => import('./pages/administration/access/users-page.tsx'),
    nav: { group: 'administration', label: t('users'), icon: IconUsers },
  },
  {
    path: 'tokens',
    roles: everyone,
    load: () => import('./pages/administration/access/tokens-page.tsx'),
    nav: { group: 'administration', label: t('apiTokens'), icon: IconKey },
  },
  {
    path: 'security-log',
    roles: everyone,
    load: () => import('./pages/administration/access/security-log-page.tsx'),
    nav: { group: 'administration', label: t('securityLog'), icon: IconShieldLock },
  },
  {
    path: 'health',
    roles: operators,
    load: () => import('./pages/administration/health/health-page.tsx'),
    nav: { group: 'administration', label: t('systemHealth'), icon: IconHeartbeat },
  },
]

/** The pages that a role has, in the order of the navigation. */
export function pagesOf(role: Role): PageEntry[] {
  const all = [...homePages, ...publisherPages, ...advertiserPages, ...reportPages, ...operatorPages]
  return all.filter(({ roles }) => roles.includes(role))
}
