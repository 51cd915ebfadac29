import { Problem } from '../../domain/errors.ts'

/** Work of accounts that is under way. An account may have only a part of it, so that none keeps out the others. */
export interface Shares {
  /** Begins one piece of work. @returns what ends it. @throws Problem RATE_LIMITED when too much is under way. */
  begin(accountId: string): () => void
}

/** @param limits.what names the work in messages: `imports`. */
export function createShares(limits: {
  what: string
  max: number
  ofAccountMax: number
  retryAfterSeconds: number
}): Shares {
  const { what, max, ofAccountMax, retryAfterSeconds } = limits
  /** The account of each piece. */
  const underWay: string[] = []
  const tooMany = (pieces: string) =>
    new Problem('RATE_LIMITED', `${pieces} are already in progress`, { retryAfterSeconds })
  return {
    begin(accountId) {
      const own = underWay.filter((each) => each === accountId)
      if (own.length >= ofAccountMax) throw tooMany(`${ofAccountMax} ${what} of this account`)
      if (underWay.length >= max) throw tooMany(`${max} ${what}`)
      underWay.push(accountId)
      return () => void underWay.splice(underWay.indexOf(accountId), 1)
    },
  }
}
