import { readLogEpoch } from '../../log-epoch.ts'
import type { EventLog } from '../../port.ts'

/** A restore has begun and not ended, or it has ended since this process began: it must end, and be started again. */
export class EpochEnded extends Error {
  override readonly name = 'EpochEnded'
}

/** The epoch of the log, as one process reads it. */
export interface CurrentEpoch {
  /** Read once. @throws LogUnavailable; EpochEnded while the log is being restored. */
  get(): Promise<number>
  /** Looks whether it still holds. @throws LogUnavailable, EpochEnded */
  confirm(): Promise<void>
}

/** @param onEnded is called before `confirm` throws EpochEnded. */
export function currentEpoch(log: Pick<EventLog, 'bounds' | 'read'>, onEnded: (error: Error) => void): CurrentEpoch {
  let own: Promise<number> | null = null

  async function read(): Promise<number> {
    const { epoch, restoring } = await readLogEpoch(log)
    if (restoring) {
      throw new EpochEnded('A restore of the log has begun and not ended: let it end, or run `make restore-log` again')
    }
    return epoch
  }

  const get = () => {
    own ??= read().catch((error) => {
      own = null
      throw error
    })
    return own
  }

  return {
    get,
    async confirm() {
      const expected = await get()
      const { epoch, restoring } = await readLogEpoch(log)
      if (epoch === expected && !restoring) return
      const error = new EpochEnded(`The log has been restored: epoch ${expected} has ended`)
      onEnded(error)
      throw error
    },
  }
}
