import type { Role } from '../client/types.ts'
import { advertiserPages } from './advertiser.ts'
import { homePages } from './home.ts'
import { operatorPages } from './operator.ts'
import type { PageEntry } from './page.ts'
import { publisherPages } from './publisher.ts'
import { reportPages } from './reports.ts'

/** The pages that a role has, in the order of the navigation. */
export function pagesOf(role: Role): PageEntry[] {
  const all = [...homePages, ...publisherPages, ...advertiserPages, ...reportPages, ...operatorPages]
  return all.filter(({ roles }) => roles.includes(role))
}
