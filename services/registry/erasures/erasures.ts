import { followErasures } from '../../../infra/event-log/erasures-tail.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import type { Erasure } from '../../../schemas/records/records.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import {
  type ActiveErasure,
  digestOf,
  type Identifier,
  isDigestOf,
  PSEUDONYM_PREFIX,
} from '../../domain/erasure/erasures.ts'
import { Problem } from '../../domain/errors.ts'
import { cidOfCustomer } from '../../domain/identity/imported-cid.ts'
import { createLimiter } from '../resources/limiter.ts'

/** Erasures that are not done. The streams carry out about twenty a minute. */
const PENDING_MAX = 1_000
/** Requests that wait for their turn. Each takes an append. */
const REQUESTS_WAITING_MAX = 100
const SALT_BYTES = 16
const PSEUDONYM_BYTES = 16

export interface ErasureStoreDeps {
  log: Pick<EventLog, 'append' | 'tail'>
  /** UTC epoch milliseconds. */
  now: () => number
  uuid: () => string
  randomBytes: (size: number) => Buffer
}

export interface ErasureRequest {
  shopId: string
  identifier: Identifier
  requestedBy: string
}

/** The erasures of the installation. This process requests them, and the streams carry them out. */
export interface ErasureStore {
  all(): Promise<Erasure[]>
  /**
   * Requests an erasure. The same request, while the erasure is not done, returns the same one. A uid comes with an erasure of its
   * own for the cid that imported orders have made of it.
   * @throws Problem CONFLICT when too many erasures are pending, UNAVAILABLE when too many requests wait.
   */
  ask(asked: ErasureRequest): Promise<{ erasure: Erasure; isNew: boolean }>
  close(): Promise<void>
}

/** Reads the topic when it is first needed. */
export function createErasureStore({ log, now, uuid, randomBytes }: ErasureStoreDeps): ErasureStore {
  const { erasures, known, close } = followErasures(log)
  /** Requests are decided one after the other, so that each sees what the one before it has stored. */
  const inTurn = createLimiter({ running: 1, waiting: REQUESTS_WAITING_MAX })

  async function request({ shopId, identifier, requestedBy }: ErasureRequest) {
    await known()
    const pending = erasures.active().filter(({ erasedAt }) => erasedAt === null)
    const wanted = withImported(identifier).map(({ kind, value }) => {
      const isSame = (each: ActiveErasure) =>
        each.shopId === shopId && each.identifier === kind && isDigestOf(each.digest, value)
      const same = pending.find(isSame)
      return { erasure: same ?? newErasure({ shopId, identifier: { kind, value }, requestedBy }), isNew: !same }
    })
    const fresh = wanted.flatMap(({ erasure, isNew }) => (isNew ? [erasure] : []))
    if (fresh.length === 0) return wanted[0]!
    if (pending.length + fresh.length > PENDING_MAX) {
      throw new Problem('CONFLICT', `${PENDING_MAX} erasures are still pending: try again when some are done`)
    }
    await log.append(fresh.map((each) => ({ topic: 'erasures', key: each.id, value: encode('Erasure', each) })))
    for (const each of fresh) erasures.put(each)
    return wanted[0]!
  }

  const newErasure = ({ shopId, identifier, requestedBy }: ErasureRequest): Erasure => ({
    ...{ id: uuid(), shopId, identifier: identifier.kind, requestedAt: now(), requestedBy },
    pseudonym: `${PSEUDONYM_PREFIX}${randomBytes(PSEUDONYM_BYTES).toString('hex')}`,
    digest: digestOf(identifier.value, randomBytes(SALT_BYTES)),
    ...{ erasedAt: null, logFreeAt: null },
  })

  return {
    async all() {
      await known()
      return erasures.all()
    },
    ask: (asked) => inTurn(() => request(asked)),
    close,
  }
}

/** An identifier, and after it the other one that contains it. */
const withImported = (identifier: Identifier): Identifier[] =>
  identifier.kind === 'CID' ? [identifier] : [identifier, { kind: 'CID', value: cidOfCustomer(identifier.value) }]
