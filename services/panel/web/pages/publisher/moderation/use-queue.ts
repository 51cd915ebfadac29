import { useEffect, useState } from 'react'
import type { Campaign } from '../../../client/types.ts'

export interface Queue {
  /** As it was when it came up: what is judged does not change under one's eyes. */
  shown: Campaign | undefined
  /** Its place, from 0. */
  index: number
  /** What it has become meanwhile; null: it is as shown. */
  changed: Campaign | null
  show: (campaign: Campaign) => void
  /** To the next (1) or the one before (-1). */
  move: (by: number) => void
}

/** One of a list at a time. When it leaves the list, as by a decision, the one that takes its place comes up. */
export function useQueue(items: readonly Campaign[]): Queue {
  const [place, setPlace] = useState<{ campaign: Campaign; index: number } | null>(null)
  const found = place === null ? -1 : items.findIndex(({ id }) => id === place.campaign.id)
  const follower = items[Math.min(place?.index ?? 0, items.length - 1)]
  const shown = found === -1 ? follower : place?.campaign
  const index = found === -1 && follower ? items.indexOf(follower) : found

  useEffect(() => {
    if (found === -1 && follower) setPlace({ campaign: follower, index })
  }, [found, follower, index])

  const fresh = items[index]
  return {
    shown,
    index,
    changed: shown && fresh && fresh.version !== shown.version ? fresh : null,
    show: (campaign) => setPlace({ campaign, index: items.findIndex(({ id }) => id === campaign.id) }),
    move(by) {
      const next = items[index + by]
      if (next) setPlace({ campaign: next, index: index + by })
    },
  }
}
