import { HOUR_MS } from '../../../schemas/durations.ts'
import type { Entity } from '../../domain/snapshot.ts'
import { changed, type EntityChange, type Registry } from '../resources/store.ts'
import type { LoggedRequest, SecurityLog } from '../security-log/security-log.ts'

/** A use is recorded when the last recorded one is at least this long ago. */
const COARSE_MS = HOUR_MS
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
  /** The last use of each token that is not written yet. Until it is, the token's entry does not show that it was ever used. */
  const waiting = new Map<string, number>()
  let timer: NodeJS.Timeout | null = null
  let writing = Promise.resolve()

  function writeSoon(): void {
    timer ??= setTimeout(() => {
      writing = write()
    }, COLLECT_MS).unref()
  }

  async function write(): Promise<void> {
    const used = [...waiting]
    try {
      if (used.length > 0) await registry.write(() => used.flatMap(([id, at]) => usedAt(id, at)), { by: 'tokens' })
      for (const [id] of used) waiting.delete(id)
    } catch {
      // They stay, and are written with the next ones.
    }
    timer = null
    if (waiting.size > 0) writeSoon()
  }

  function usedAt(id: string, at: number): EntityChange[] {
    const token = registry.snapshot.get('Token', id)
    return token ? [changed(token, { ...token.body, lastUsedAt: at })] : []
  }

  return {
    note({ id, body }, asked) {
      const isNoted = waiting.has(id)
      if (!isNoted && body.lastUsedAt !== null && now() - body.lastUsedAt < COARSE_MS) return
      waiting.set(id, now())
      if (body.lastUsedAt === null && !isNoted) {
        const { accountId } = body
        void securityLog.record(asked, { kind: 'TOKEN_FIRST_USED', accountId, subject: { kind: 'Token', id } })
      }
      writeSoon()
    },
    async close() {
      if (timer) clearTimeout(timer)
      await writing
      await write()
      if (timer) clearTimeout(timer)
    },
  }
}
