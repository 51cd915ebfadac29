import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { changedSearch, type ReportState, readReportState } from './report-state.ts'

export type ChangeReport = (changes: Partial<ReportState>) => void

/** The report state in the address. The shop is the one chosen in the header; an address that names another chooses that one. */
export function useReportState(): { state: ReportState; change: ChangeReport } {
  const [search, setSearch] = useSearchParams()
  const state = readReportState(search)
  const { role } = useSession().user
  const { shops, shop, choose } = useShop()
  const followed = useRef<string>(undefined)
  const hasChoice = role !== 'ADVERTISER' && shops !== undefined && shops.length > 1
  const chosenId = hasChoice ? shop?.id : undefined

  useEffect(() => {
    if (chosenId === undefined || followed.current === chosenId) return
    const isChange = followed.current !== undefined
    followed.current = chosenId
    const named = isChange ? undefined : state.shopId
    if (named === undefined) setSearch((before) => changedSearch(before, { shopId: chosenId }), { replace: true })
    else if (named !== null && shops?.some(({ id }) => id === named)) choose(named)
  }, [chosenId, state.shopId, shops, setSearch, choose])

  return { state, change: (changes) => setSearch((before) => changedSearch(before, changes)) }
}
