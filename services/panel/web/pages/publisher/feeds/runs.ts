import type { FeedRun } from '../../../client/types.ts'

/** How often to refetch a run that is under way. */
export const RUNNING_REFRESH_MS = 1_000

export const isUnderWay = ({ status }: Pick<FeedRun, 'status'>): boolean => status === 'QUEUED' || status === 'RUNNING'

export const triggerNames: Readonly<Record<FeedRun['trigger'], string>> = {
  UPLOAD: 'Upload',
  SCHEDULE: 'Schedule',
  MANUAL: 'By hand',
}

/** Queries that a run under way changes. */
export const runPaths = ['/v1/panel/feeds', '/v1/panel/products'] as const

/** Turns INVALID_GTIN into 'Invalid GTIN'. */
export function issueName(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ')
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\bgtin\b/, 'GTIN').replace(/\b(url|html)\b/i, upper)
}

const upper = (word: string) => word.toUpperCase()
