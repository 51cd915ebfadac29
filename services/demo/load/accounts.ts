import { BlockList, isIP } from 'node:net'
import { PASSWORD_CHARS_MAX } from '../../../schemas/http/panel/accounts/users.ts'
import { PASSWORD_CHARS_MIN } from '../../../schemas/http/panel/limits.ts'
import type { Api, Created } from '../api.ts'
import { SELLERS } from '../catalogue/range.ts'

export const SHOP_NAME = 'Northwind Market'
/** The password of every demo user, unless another is set. It is published and protects only invented data. */
export const DEMO_PASSWORD = 'try-the-aisle-today'

export type AdvertiserKey = 'lumbra' | 'peak' | 'ondea' | 'fernhill'

const ADVERTISERS: Readonly<Record<AdvertiserKey, { name: string; person: string }>> = {
  lumbra: { name: 'Lumbra Home', person: 'Lena Brandt' },
  peak: { name: 'Peak & Pace Sports', person: 'Pim de Vries' },
  ondea: { name: 'Ondea Audio', person: 'Oona Marsh' },
  fernhill: { name: 'Fernhill & Daughters', person: 'Fleur Martin' },
}

export interface DemoUser {
  email: string
  name: string
  role: 'OPERATOR' | 'PUBLISHER' | 'ADVERTISER'
  /** The advertisers for whose accounts somebody works. */
  advertisers: readonly AdvertiserKey[]
}
const emailOf = (name: string) => `${name}@demo.example`

/** The users, in the order in which they are worth trying. */
export const DEMO_USERS: readonly DemoUser[] = [
  { email: emailOf('shop'), name: 'Nora Winter', role: 'PUBLISHER', advertisers: [] },
  ...Object.entries(ADVERTISERS).map(([key, { person }]) => ({
    email: emailOf(key),
    name: person,
    role: 'ADVERTISER' as const,
    advertisers: [key as AdvertiserKey],
  })),
  { email: emailOf('agency'), name: 'Ada Kovač', role: 'ADVERTISER', advertisers: ['peak', 'fernhill'] },
  { email: emailOf('operator'), name: 'Otto Perrin', role: 'OPERATOR', advertisers: [] },
]

export interface Accounts {
  publisherId: string
  advertiserIds: Readonly<Record<AdvertiserKey, string>>
}

/** Creates the accounts of the shop and its advertisers, a user for each, one of an agency for two of them, and one for the operator. */
export async function createAccounts(api: Api, password: string): Promise<Accounts> {
  const { id: publisherId } = await api.post<Created>('/v1/panel/accounts', {
    kind: 'PUBLISHER',
    name: SHOP_NAME,
    companyName: `${SHOP_NAME} SE`,
    taxNumber: 'DE000000001',
    displayEnabled: true,
  })
  const made = await Promise.all(
    Object.entries(ADVERTISERS).map(async ([key, { name }], index) => {
      const seller = SELLERS.find(({ id }) => id === `seller-${key}`)!
      const { id } = await api.post<Created>('/v1/panel/accounts', {
        kind: 'ADVERTISER',
        name,
        companyName: seller.name,
        taxNumber: `EU00000010${index}`,
        sellerIds: [seller.id],
        displayEnabled: true,
      })
      return [key, id] as const
    }),
  )
  const advertiserIds = Object.fromEntries(made) as Accounts['advertiserIds']
  await Promise.all(
    DEMO_USERS.map(({ role, advertisers, ...person }) => {
      const ofAdvertisers = advertisers.map((key) => advertiserIds[key])
      const accountIds = role === 'OPERATOR' ? [null] : role === 'PUBLISHER' ? [publisherId] : ofAdvertisers
      return createUser(api, { ...person, role, password }, accountIds)
    }),
  )
  return { publisherId, advertiserIds }
}

/** Creates a user of the first account, who accepts invitations to the others. */
async function createUser(
  api: Api,
  { password, ...person }: Omit<DemoUser, 'advertisers'> & { password: string },
  [accountId, ...others]: readonly (string | null)[],
): Promise<void> {
  await api.post('/v1/panel/users', { ...person, accountId, password })
  for (const accountId of others) {
    const { passwordLink } = await api.post<{ passwordLink: { url: string } }>('/v1/panel/users', {
      ...person,
      accountId,
    })
    await api.accept(passwordLink.url, { email: person.email, password })
  }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether a server that listens on `host` can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  const version = isIP(host)
  return version === 0 ? host === 'localhost' : loopback.check(host, version === 4 ? 'ipv4' : 'ipv6')
}

/** Why a chosen password is refused; null when it is fine. */
export function passwordProblem(chosen: string): string | null {
  if (chosen.length >= PASSWORD_CHARS_MIN && chosen.length <= PASSWORD_CHARS_MAX) return null
  return `DEMO_PASSWORD must have ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`
}

/**
 * Why the demo must not listen on `host`, or null when it may. Everybody knows the published password, which is also the
 * operator's.
 */
export function reachProblem(
  host: string,
  { password, loaded }: { password: string; loaded: 'NO' | 'PUBLISHED' | 'OWN' },
): string | null {
  if (isLoopback(host)) return null
  if (loaded === 'PUBLISHED') {
    return `The demo in this data folder was loaded with the published password, so it listens on this machine only, not on ${host}. Set DEMO_PASSWORD to a password of your own and DATA_DIR to an empty folder.`
  }
  if (loaded === 'NO' && password === DEMO_PASSWORD) {
    return `The demo's users would have the published password, so it listens on this machine only, not on ${host}. Set DEMO_PASSWORD to a password of your own, or HTTP_HOST to 127.0.0.1.`
  }
  return null
}
