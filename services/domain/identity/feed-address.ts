/**
 * Whether the password that was given for one address of a feed may be sent to another: only to the same scheme, host and port, so that
 * nobody can read it by having it sent to another server. Null stands for no address.
 */
export const sharesPassword = (one: string | null, other: string | null): boolean => originOf(one) === originOf(other)

const originOf = (url: string | null) => (url === null ? null : URL.parse(url)?.origin)
