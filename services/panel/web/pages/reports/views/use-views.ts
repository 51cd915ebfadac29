import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { ApiProblem } from '../../../client/problem.ts'
import type { SavedView } from '../../../client/types.ts'
import { useIsLeaving } from '../../../data/use-is-leaving.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/reports.ts'

export const VIEWS_PATH = '/v1/panel/report-views'

export interface Views {
  /** Undefined until they are loaded. */
  views: readonly SavedView[] | undefined
  problem: ApiProblem | null
}

/** The report views that the user has saved. */
export function useViews(): Views {
  const { items, problem } = useList(VIEWS_PATH, { pageSize: PAGE_SIZE_MAX })
  return { views: items?.toSorted((a, b) => a.name.localeCompare(b.name)), problem }
}

/** Opens the report with the user's default view, unless the address has settings of its own. Returns true until that is decided. */
export function useDefaultView({ views, problem }: Views): boolean {
  const [search, setSearch] = useSearchParams()
  const isLeaving = useIsLeaving()
  const [isOpening, setOpening] = useState(() => [...search.keys()].every((name) => name === 'shopId'))
  useEffect(() => {
    if (isLeaving() || !isOpening || (!views && !problem)) return
    const view = views?.find(({ isDefault }) => isDefault)
    if (view) setSearch(new URLSearchParams(view.address), { replace: true })
    setOpening(false)
  }, [isLeaving, isOpening, views, problem, setSearch])
  return isOpening
}

/** Makes views the default, and deletes them. */
export function useViewChanges() {
  const change = useSave({
    save: ({ id, isDefault }: Pick<SavedView, 'id' | 'isDefault'>) =>
      answer(client.PATCH('/v1/panel/report-views/{id}', { params: { path: { id } }, body: { isDefault } })),
    changes: [VIEWS_PATH],
    saved: t('viewSaved'),
  })
  const remove = useSave({
    save: (id: string) => answer(client.DELETE('/v1/panel/report-views/{id}', { params: { path: { id } } })),
    changes: [VIEWS_PATH],
    saved: t('viewDeleted'),
  })
  return { change: change.submit, remove: remove.submit }
}
