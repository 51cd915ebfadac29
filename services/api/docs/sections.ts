/** A section of the API reference: a tag of the OpenAPI document. */
interface Section {
  name: string
  description: string
  /** Who may call its operations: anybody, the holder of a token, or of a token or a session of the panel. */
  callers: 'ANYBODY' | 'TOKEN' | 'TOKEN_OR_SESSION'
  /** What the paths of its operations begin with. Of the beginnings in all sections, the longest counts. */
  paths: readonly string[]
}

const panel = (...resources: string[]) => resources.map((resource) => `/v1/panel/${resource}`)

/** In the order in which a shop needs them: what its pages and its systems call comes first, the management of everything else later. */
export const sections: readonly Section[] = [
  {
    name: 'Ads',
    description: 'A page, or a server of the shop, asks for the ads of its ad units',
    callers: 'ANYBODY',
    paths: ['/v1/dsa/', '/v1/banner/dsa/'],
  },
  {
    name: 'Events',
    description: 'Views, clicks, purchases and page views. An answer says that they are stored',
    callers: 'ANYBODY',
    paths: [
      '/v1/ev/',
      '/v1/events/',
      ...['/v1/dsa/view-event', '/v1/dsa/click-event', '/v1/banner/dsa/view-event', '/v1/banner/dsa/click-event'],
    ],
  },
  {
    name: 'Product update',
    description: 'Changes of single products between two runs of a feed',
    callers: 'TOKEN',
    paths: ['/v1/feed/'],
  },
  {
    name: 'Technical ad units',
    description: 'Ad units that a partner registers under ids of its own',
    callers: 'TOKEN',
    paths: ['/v1/slots/'],
  },
  {
    name: 'Images',
    description: 'The images of banners, for browsers',
    callers: 'ANYBODY',
    paths: ['/v1/images/'],
  },
  {
    name: 'Shops',
    description: 'Shops, the keys with which their pages sign events, and how their searches understand words',
    callers: 'TOKEN_OR_SESSION',
    paths: panel('shops', 'signing-keys', 'setup'),
  },
  {
    name: 'Ad units',
    description: 'Where a shop shows ads, and which',
    callers: 'TOKEN_OR_SESSION',
    paths: panel('placements', 'ad-units', 'ad-formats', 'technical-slots'),
  },
  {
    name: 'Feeds and products',
    description: 'Product feeds, their runs, and the products that were read from them',
    callers: 'TOKEN_OR_SESSION',
    paths: panel('feeds', 'products', 'sellers'),
  },
  {
    name: 'Campaigns',
    description: 'Campaigns of advertisers, the images of their banners, and the moderation of those',
    callers: 'TOKEN_OR_SESSION',
    paths: panel('campaigns', 'campaign-changes', 'product-count', 'images', 'moderation'),
  },
  {
    name: 'Reports',
    description: 'What was shown, clicked, billed and sold',
    callers: 'TOKEN_OR_SESSION',
    paths: panel('reports', 'report-views', 'page-views', 'attributed-sales', 'exports', 'attention'),
  },
  {
    name: 'Sales and returns',
    description: 'Purchases with the campaigns that were credited for them, past orders, and returns',
    callers: 'TOKEN_OR_SESSION',
    paths: panel('transactions', 'import'),
  },
  {
    name: 'Explanations',
    description: 'Why an ad was shown or not, and why a campaign was credited or not',
    callers: 'TOKEN_OR_SESSION',
    paths: panel('explain'),
  },
  {
    name: 'Invalid traffic',
    description: 'Views and clicks that are not to be billed',
    callers: 'TOKEN_OR_SESSION',
    paths: panel('invalid-traffic'),
  },
  {
    name: 'Personal data',
    description: 'What is known of a person, and its erasure',
    callers: 'TOKEN_OR_SESSION',
    paths: panel('erasures', 'personal-data'),
  },
  {
    name: 'Accounts and access',
    description: 'Accounts, their users and tokens, and the log of who did what',
    callers: 'TOKEN_OR_SESSION',
    paths: panel('accounts', 'users', 'tokens', 'security-log'),
  },
  {
    name: 'Session',
    description: 'How a person signs in to the panel',
    callers: 'ANYBODY',
    paths: panel('session'),
  },
  {
    name: 'Operation',
    description: 'Whether the process works, and whether what was logged is stored',
    callers: 'TOKEN_OR_SESSION',
    paths: panel('audit', 'dead-letters'),
  },
  { name: 'Health', description: 'For orchestrators and balancers', callers: 'ANYBODY', paths: ['/health/'] },
]

const beginnings = sections
  .flatMap((section) => section.paths.map((path) => ({ path, section })))
  .sort((a, b) => b.path.length - a.path.length)

/** @throws Error when no section is for the path. */
export function sectionOf(path: string): Section {
  const found = beginnings.find((each) => path.startsWith(each.path))
  if (!found) throw new Error(`No section of the API reference is for ${path}`)
  return found.section
}
