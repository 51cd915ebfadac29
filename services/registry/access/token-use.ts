import type { Entity } from '../../domain/snapshot.ts'
import { changed, type EntityChange, type Registry } from '../resources/store.ts'
import type { LoggedRequest, SecurityLog } from '../security-log/security-log.ts'

/** A use is recorded when the last recorded one is at least this long ago. */
const COARSE_MS = 3_600_000
/** Uses are collected for this long, then written together. */
const COLLECT_MS = 5_000

/** Records when tokens are used, coarsely: at most once an hour for each token. */
export interface TokenUse {
  note(token: Entity<'Token'>, asked: LoggedRequest): void
  /** Writes the uses that have been noted. */
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
    // A failure loses nothing: the next use is noted again.
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
