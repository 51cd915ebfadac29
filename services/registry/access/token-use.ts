import type { Entity } from '../../domain/snapshot.ts'
import { changed, type EntityChange, type Registry } from '../resources/store.ts'
import type { LoggedRequest, SecurityLog } from './security-log/security-log.ts'

/** A use is written down when the last one that was is so long ago. */
const COARSE_MS = 3_600_000
/** Uses of many tokens are written together. */
const COLLECT_MS = 5_000

/** Writes down when tokens are used, coarsely: at most one write an hour for each. */
export interface TokenUse {
  note(token: Entity<'Token'>, asked: LoggedRequest): void
  /** Writes what was noted. */
  close(): Promise<void>
}

export function createTokenUse(deps: { registry: Registry; securityLog: SecurityLog; now: () => number }): TokenUse {
  const { registry, securityLog, now } = deps
  const waiting = new Map<string, number>()
  let timer: NodeJS.Timeout | null = null

  async function write(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    const used = [...waiting]
    waiting.clear()
    if (used.length === 0) return
    // Nothing is lost when it fails: the next use is noted again.
    await registry.write(() => used.flatMap(([id, at]) => usedAt(id, at)), { by: 'tokens' }).catch(() => {})
  }

  function usedAt(id: string, at: number): EntityChange[] {
    const token = registry.snapshot.get('Token', id)
    return token ? [changed(token, { ...token.body, lastUsedAt: at })] : []
  }

  return {
    note({ id, body }, asked) {
      if (waiting.has(id) || (body.lastUsedAt !== null && now() - body.lastUsedAt < COARSE_MS)) return
      waiting.set(id, now())
      if (body.lastUsedAt === null) {
        const { accountId } = body
        void securityLog.record(asked, { kind: 'TOKEN_FIRST_USED', accountId, subject: { kind: 'Token', id } })
      }
      timer ??= setTimeout(() => void write(), COLLECT_MS).unref()
    },
    close: write,
  }
}
