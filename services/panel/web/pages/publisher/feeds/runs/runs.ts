import type { FeedRun } from '../../../../client/types.ts'
import { t } from '../../../../messages/pages/shop/feeds.ts'

/** How often to refetch a run in progress, its feed, and the feed's other runs. */
export const RUNNING_REFRESH_MS = 1_000
/** How often to refetch a run whose products are being indexed. */
const INDEXING_REFRESH_MS = 2_000
/** How often to refetch a feed between its runs. */
export const IDLE_REFRESH_MS = 10_000

export const isUnderWay = ({ status }: Pick<FeedRun, 'status'>): boolean => status === 'QUEUED' || status === 'RUNNING'

/** Whether ads do not find yet what the run has changed. */
export const isIndexing = ({ status, indexed }: Pick<FeedRun, 'status' | 'indexed'>): boolean =>
  !indexed && (status === 'DONE' || status === 'HELD')

/** How often to refetch a run while it changes: often while it reads, less often while its products are being indexed. */
export const refreshOf = (run: FeedRun): number | false =>
  isUnderWay(run) ? RUNNING_REFRESH_MS : isIndexing(run) && INDEXING_REFRESH_MS

/** The number of products in the file that were accepted for the shop's ads. */
export const acceptedBy = ({ changed, unchanged }: Pick<FeedRun, 'changed' | 'unchanged'>): number =>
  changed + unchanged

export const triggerNames: Readonly<Record<FeedRun['trigger'], string>> = {
  UPLOAD: t('byUpload'),
  SCHEDULE: t('bySchedule'),
  MANUAL: t('byHand'),
}

/** Queries whose results change while a run is in progress. */
export const runPaths = ['/v1/panel/feeds', '/v1/panel/products'] as const

/** Turns INVALID_GTIN into 'Invalid GTIN'. */
export function issueName(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ')
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\bgtin\b/, 'GTIN').replace(/\b(url|html)\b/i, upper)
}

const upper = (word: string) => word.toUpperCase()
