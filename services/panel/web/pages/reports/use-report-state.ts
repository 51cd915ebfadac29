import { useEffect, useRef } from 'react'
import { useAddressQuery } from '../../data/use-address-value.ts'
import { useIsLeaving } from '../../data/use-is-leaving.ts'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { changedSearch, type ReportState, readReportState } from './report-state.ts'

export type ChangeReport = (changes: Partial<ReportState>) => void

/** The report state in the address. The shop is the one chosen in the header; an address that names another chooses that one. */
export function useReportState(): { state: ReportState; change: ChangeReport } {
  const [search, changeQuery] = useAddressQuery()
  const state = readReportState(search)
  const { role } = useSession().user
  const { shops, shop, choose } = useShop()
  const isLeaving = useIsLeaving()
  const followed = useRef<string>(undefined)
  const hasChoice = role !== 'ADVERTISER' && shops !== undefined && shops.length > 1
  const chosenId = hasChoice ? shop?.id : undefined

  useEffect(() => {
    if (isLeaving() || chosenId === undefined || followed.current === chosenId) return
    const isChange = followed.current !== undefined
    followed.current = chosenId
    const named = isChange ? undefined : state.shopId
    if (named === undefined) changeQuery((query) => changedSearch(query, { shopId: chosenId }), { replace: true })
    else if (named !== null && shops?.some(({ id }) => id === named)) choose(named)
  }, [isLeaving, chosenId, state.shopId, shops, changeQuery, choose])

  return { state, change: (changes) => changeQuery((query) => changedSearch(query, changes)) }
}
