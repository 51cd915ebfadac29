import { IconBuildingStore, IconGavel, IconLayoutGrid, IconPackage, IconRss, IconTemplate } from '@tabler/icons-react'
import type { Role } from '../client/types.ts'
import type { PageEntry } from './page.ts'

const roles: readonly Role[] = ['PUBLISHER', 'OPERATOR']
const group = 'Shop'

/** The shops of a publisher: placements, ad units, formats, feeds, products, moderation. */
export const publisherPages: readonly PageEntry[] = [
  {
    path: 'moderation',
    roles,
    load: () => import('../pages/publisher/moderation/moderation-page.tsx'),
    nav: { group, label: 'Moderation', icon: IconGavel },
  },
  {
    path: 'placements',
    roles,
    load: () => import('../pages/publisher/ad-units/placements-page.tsx'),
    nav: { group, label: 'Placements', icon: IconLayoutGrid },
  },
  { path: 'technical-units', roles, load: () => import('../pages/publisher/ad-units/technical-units-page.tsx') },
  { path: 'ad-units/new', roles, load: () => import('../pages/publisher/ad-units/ad-unit-new-page.tsx') },
  { path: 'ad-units/:id', roles, load: () => import('../pages/publisher/ad-units/ad-unit-page.tsx') },
  {
    path: 'ad-formats',
    roles,
    load: () => import('../pages/publisher/ad-formats/ad-formats-page.tsx'),
    nav: { group, label: 'Ad formats', icon: IconTemplate },
  },
  { path: 'ad-formats/new', roles, load: () => import('../pages/publisher/ad-formats/ad-format-new-page.tsx') },
  {
    path: 'feeds',
    roles,
    load: () => import('../pages/publisher/feeds/feeds-page.tsx'),
    nav: { group, label: 'Feeds', icon: IconRss },
  },
  { path: 'feeds/new', roles, load: () => import('../pages/publisher/feeds/feed-new-page.tsx') },
  { path: 'feeds/:id', roles, load: () => import('../pages/publisher/feeds/feed-page.tsx') },
  { path: 'feeds/:id/runs/:run', roles, load: () => import('../pages/publisher/feeds/run-page.tsx') },
  {
    path: 'products',
    roles,
    load: () => import('../pages/publisher/products/products-page.tsx'),
    nav: { group, label: 'Products', icon: IconPackage },
  },
  { path: 'products/:id', roles, load: () => import('../pages/publisher/products/product-page.tsx') },
  {
    path: 'shops',
    roles,
    load: () => import('../pages/publisher/shops/shops-page.tsx'),
    nav: { group, label: 'Shops', icon: IconBuildingStore },
  },
  { path: 'shops/new', roles, load: () => import('../pages/publisher/shops/shop-new-page.tsx') },
  { path: 'shops/:id', roles, load: () => import('../pages/publisher/shops/shop-page.tsx') },
]
