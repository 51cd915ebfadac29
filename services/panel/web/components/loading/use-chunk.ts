import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react'
import { connection } from '../../client/connection.ts'
import { hasUnsaved } from '../../data/unsaved.ts'
import { useConnection } from '../../data/use-connection.ts'

/** `() => import('./report-chart.tsx')` */
export type Load<Props> = () => Promise<{ default: ComponentType<Props> }>

/** AWAY: the server does not answer. OUTDATED: it answers, but no longer has the file, because a new version is installed. */
export type ChunkFailure = 'AWAY' | 'OUTDATED'

export interface Chunk<Props> {
  Component: ComponentType<Props> | null
  failure: ChunkFailure | null
  retry: () => Promise<void>
}

/**
 * Loads the code of a part of the panel once it is wanted. If the server does not answer, the load fails, and is repeated once the
 * server answers. If the server answers but does not have the file, the whole panel is reloaded, unless that would lose what the
 * user has typed, or it was reloaded just before.
 */
export function useChunk<Props>(load: Load<Props>, isWanted: boolean): Chunk<Props> {
  const [state, setState] = useState<Omit<Chunk<Props>, 'retry'>>({ Component: null, failure: null })
  const { isAway } = useConnection()
  const isLoading = useRef(false)
  const { Component, failure } = state

  const attempt = useCallback(async () => {
    if (isLoading.current) return
    isLoading.current = true
    const next = await loadOrFail(load)
    isLoading.current = false
    if (next) setState(next)
  }, [load])

  useEffect(() => {
    const isDue = failure === null || (failure === 'AWAY' && !isAway)
    if (isWanted && !Component && isDue) void attempt()
  }, [isWanted, Component, failure, isAway, attempt])

  return { Component, failure, retry: failure === 'OUTDATED' ? reload : attempt }
}

/** Loads the code. Null when the panel is being reloaded. */
async function loadOrFail<Props>(load: Load<Props>): Promise<Omit<Chunk<Props>, 'retry'> | null> {
  try {
    return { Component: (await load()).default, failure: null }
  } catch {
    if (!(await connection.check())) return { Component: null, failure: 'AWAY' }
  }
  try {
    return { Component: (await load()).default, failure: null }
  } catch {
    if (hasUnsaved() || hasJustReloaded()) return { Component: null, failure: 'OUTDATED' }
    await reload()
    return null
  }
}

const RELOADED_AT = 'endcap-reloaded-at'
/** If a file is still missing within this time after a reload, another reload does not help. */
const RELOAD_AGAIN_AFTER_MS = 60_000

const hasJustReloaded = () => Date.now() - Number(sessionStorage.getItem(RELOADED_AT) ?? 0) < RELOAD_AGAIN_AFTER_MS

/** Reloads the panel, but never while the server is away: the browser would show its own error page. */
async function reload(): Promise<void> {
  if (!(await connection.check())) return
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
}
