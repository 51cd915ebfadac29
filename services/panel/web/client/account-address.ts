/**
 * A login may let into several accounts. Then the account is part of the panel's address, `/panel/in/{account}/campaigns`, and all
 * requests of the page name it: two tabs with different accounts never mix. The page is loaded anew for another account.
 */

const PANEL = '/panel'
const IN_ACCOUNT = /^\/panel\/in\/([^/]+)/

interface Address {
  pathname: string
  search: string
  hash: string
}

/** The account in an address, as it is written there: ids need no escapes, and a header takes no other characters. Null for none. */
export function accountIn({ pathname }: Pick<Address, 'pathname'>): string | null {
  const [, id = null] = IN_ACCOUNT.exec(pathname) ?? []
  return id
}

/** What the addresses of all pages of an account begin with. */
export const baseOf = (accountId: string | null): string => (accountId === null ? PANEL : `${PANEL}/in/${accountId}`)

/**
 * Where a login with these accounts must be instead of at this address; null when it is right. An address without an account is
 * opened in the one that was used last, or else in the first. An address of an account that is not among them leads to Home.
 */
export function rightAddress(address: Address, accountIds: readonly string[], lastId: string | null): string | null {
  const named = accountIn(address)
  if (named !== null && accountIds.includes(named)) return null
  const isSeveral = accountIds.length > 1
  if (named === null && !isSeveral) return null
  const [firstId = null] = accountIds
  const base = baseOf(isSeveral ? (accountIds.find((id) => id === lastId) ?? firstId) : null)
  const page = named === null ? address.pathname.slice(PANEL.length) + address.search + address.hash : '/'
  return base + page
}
