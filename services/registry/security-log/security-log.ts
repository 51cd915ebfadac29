import { createHmac, hkdfSync } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Appender } from '../../../infra/event-log/port.ts'
import type { EntityKind } from '../../../schemas/records/entities.ts'
import type { SecurityEvent, SecurityEventKind } from '../../../schemas/records/security-event.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { parseIpAddress } from '../../domain/identity/ip-address.ts'
import type { Principal } from '../rights/auth.ts'

/** What an event takes from its request. `ip` as Fastify reads it; `principal` once the caller is known. */
export type LoggedRequest = Pick<FastifyRequest, 'ip'> & { principal?: Principal | undefined }

export interface NewSecurityEvent {
  kind: SecurityEventKind
  /** The account whose users may read the event; null or missing for operators only. */
  accountId?: string | null
  subject?: { kind: EntityKind; id: string }
  /** The user who acted, where the request does not say so, for example because the user has just signed in. */
  userId?: string
  /** A text for readers. It must not contain personal data. */
  detail?: string
}

/** Records who did what, when and from where, for everything that concerns access. */
export interface SecurityLog {
  /** Resolves when the event is written or writing has failed: the action has already happened, so it must not fail by this. */
  record(asked: LoggedRequest, happened: NewSecurityEvent): Promise<void>
}

const HASH_CHARS = 16

/**
 * @param deps.log takes the events, also while Kafka is away.
 * @param deps.keys the first one keys the hashes of addresses. Hashes made with different keys cannot be compared.
 */
export function createSecurityLog(deps: {
  log: Appender
  keys: readonly Buffer[]
  keepMs: number
  now: () => number
  uuid: () => string
  logger: { warn(details: object, message: string): void }
}): SecurityLog {
  const { log, keepMs, now, uuid, logger } = deps
  const key = Buffer.from(hkdfSync('sha256', deps.keys[0]!, '', 'addresses of the security log', 32))

  function sourceOf({ ip }: LoggedRequest): string | null {
    const address = parseIpAddress(ip ?? '')
    return address && createHmac('sha256', key).update(address).digest('base64url').slice(0, HASH_CHARS)
  }

  return {
    async record(asked, { kind, accountId = null, subject, userId, detail = '' }) {
      const occurredAt = now()
      const event: SecurityEvent = {
        id: uuid(),
        kind,
        occurredAt,
        expiresAt: occurredAt + keepMs,
        ...(userId === undefined ? actorOf(asked.principal) : { actorKind: 'USER', actorId: userId }),
        accountId,
        subjectKind: subject?.kind ?? null,
        subjectId: subject?.id ?? null,
        detail,
        source: sourceOf(asked),
      }
      try {
        await log.append([{ topic: 'security-events', key: accountId ?? '', value: encode('SecurityEvent', event) }])
      } catch (err) {
        logger.warn({ err, kind }, 'a security event was not written')
      }
    },
  }
}

function actorOf(principal: Principal | undefined): Pick<SecurityEvent, 'actorKind' | 'actorId'> {
  const { credential, userId = null } = principal ?? {}
  switch (credential?.kind) {
    case undefined:
      return { actorKind: 'NOBODY', actorId: null }
    case 'BOOTSTRAP':
      return { actorKind: 'BOOTSTRAP', actorId: null }
    case 'TOKEN':
      return { actorKind: 'TOKEN', actorId: credential.token.id }
    case 'SESSION':
      return { actorKind: 'USER', actorId: userId }
  }
}
