import { useEffect, useState } from 'react'
import type { ExplainedEmission } from '../../../client/types.ts'
import { useEntity } from '../../../data/use-entity.ts'

/** It is stored within about two seconds; until then, the answer is 404. */
const FIRST_MS = 1_000
const POLL_MS = 700
const LATE_MS = 20_000

/** Why the ads of a request were chosen: asked for until it is there. `isLate`: it has not come, and is asked for no more. */
export function useExplanation(requestId: string): { data: ExplainedEmission | undefined; isLate: boolean } {
  const [isDue, setDue] = useState(false)
  const [isOver, setOver] = useState(false)
  const [isThere, setThere] = useState(false)
  const { data } = useEntity('/v1/panel/explain/emission/{requestId}', {
    path: { requestId },
    enabled: isDue,
    refreshMs: isThere || isOver ? false : POLL_MS,
  })
  useEffect(() => {
    const timers = [setTimeout(() => setDue(true), FIRST_MS), setTimeout(() => setOver(true), LATE_MS)]
    return () => {
      for (const timer of timers) clearTimeout(timer)
    }
  }, [])
  useEffect(() => setThere(data !== undefined), [data])
  return { data, isLate: isOver && data === undefined }
}
