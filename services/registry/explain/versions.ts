import type { TransactionRow } from '../../../infra/analytics/queries/explain/transaction.ts'
import { fromMicros } from '../../domain/money/money.ts'
import { toIso } from '../resources/conversions.ts'

/** Every reason for which a version of a transaction counts or not, in words. */
export const whyVersion = {
  COUNTS: 'It counts',
  LIVE_GOES_BEFORE_IMPORTED: 'It was imported: a version that was sent live takes precedence',
  PROVEN_GOES_BEFORE: 'Its sender is unknown: a version whose sender proved itself takes precedence',
  RECEIVED_LATER: 'Another version was received before it',
  SAME_MOMENT: 'Another version was received at the same moment, and their contents decide which one counts',
} as const

/** @param versions in the order of `transactionQuery`: the one that counts comes first. */
export function versionViews(versions: readonly TransactionRow[]) {
  const [counted] = versions
  return versions.map((version) => {
    const reason = reasonOf(version, counted!)
    const { proof, imported, receivedAt, occurredAt, cid, uid, currency, lines } = version
    return {
      counts: version === counted,
      reason,
      why: whyVersion[reason],
      proof,
      imported,
      receivedAt: toIso(receivedAt),
      occurredAt: toIso(occurredAt),
      clientId: cid,
      userId: uid,
      currency,
      lines: lines.map(({ shopProductId, quantity, priceMicros }) => ({
        shopProductId,
        quantity,
        price: fromMicros(priceMicros),
      })),
    }
  })
}

function reasonOf(version: TransactionRow, counted: TransactionRow): keyof typeof whyVersion {
  if (version === counted) return 'COUNTS'
  if (version.imported !== counted.imported) return 'LIVE_GOES_BEFORE_IMPORTED'
  const isProven = ({ proof }: TransactionRow) => proof !== 'ANONYMOUS'
  if (isProven(version) !== isProven(counted)) return 'PROVEN_GOES_BEFORE'
  return version.receivedAt > counted.receivedAt ? 'RECEIVED_LATER' : 'SAME_MOMENT'
}
