import type { paths } from './schema.d.ts'

type Json<R> = R extends { content: { 'application/json': infer Body } } ? Body : never

/** The JSON body of GET for a path. */
export type Answer<P extends keyof paths> = paths[P] extends { get: { responses: { 200: infer R } } } ? Json<R> : never

/** Paths that have a GET operation. */
export type ReadablePath = { [P in keyof paths]: [Answer<P>] extends [never] ? never : P }[keyof paths]

/** Paths that answer `{ items, nextCursor }`. */
export type ListPath = {
  [P in ReadablePath]: Answer<P> extends { items: unknown[]; nextCursor: string | null } ? P : never
}[ReadablePath]

/** One item of a list. */
export type Item<P extends ListPath> = Answer<P> extends { items: (infer I)[] } ? I : never

type Parameters<P extends keyof paths> = paths[P] extends { get: { parameters: infer R } } ? R : never

/** Query parameters of GET. */
export type Query<P extends keyof paths> = Parameters<P> extends { query?: infer Q } ? NonNullable<Q> : never

/** Path parameters: `{ id }`. */
export type PathParams<P extends keyof paths> = Parameters<P> extends { path: infer Q } ? Q : undefined

/** Paths that answer whether something can be deleted. */
export type DeletionPath = Extract<ReadablePath, `${string}/{id}/deletion`>

export type Account = Item<'/v1/panel/accounts'>
export type User = Item<'/v1/panel/users'>
export type Token = Item<'/v1/panel/tokens'>
export type SigningKey = Item<'/v1/panel/signing-keys'>
export type Erasure = Item<'/v1/panel/erasures'>
export type Shop = Item<'/v1/panel/shops'>
export type Campaign = Item<'/v1/panel/campaigns'>
export type Placement = Item<'/v1/panel/placements'>
export type AdUnit = Item<'/v1/panel/ad-units'>
export type TechnicalSlot = Item<'/v1/panel/technical-slots'>
export type AdFormat = Item<'/v1/panel/ad-formats'>
export type Feed = Item<'/v1/panel/feeds'>
export type FeedRun = Item<'/v1/panel/feeds/{id}/runs'>
export type FeedIssue = Item<'/v1/panel/feeds/{id}/runs/{run}/issues'>
export type Product = Item<'/v1/panel/products'>
export type Synonyms = Answer<'/v1/panel/shops/{id}/synonyms'>
export type SynonymsPreview = Json<paths['/v1/panel/shops/{id}/synonyms/preview']['post']['responses'][200]>
export type EmptySearches = Answer<'/v1/panel/shops/{id}/empty-searches'>
export type SavedView = Item<'/v1/panel/report-views'>
export type ExplainedEmission = Answer<'/v1/panel/explain/emission/{requestId}'>
export type Session = Answer<'/v1/panel/session'>
export type PasswordLink = Json<paths['/v1/panel/users/{id}/password-link']['post']['responses'][201]>
/** What is known of a link before it is used. */
export type CheckedLink = Json<paths['/v1/panel/session/password-link']['post']['responses'][200]>
export type Role = User['role']
