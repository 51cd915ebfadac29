import type { LogEpoch } from '../../../../schemas/records/records.ts'
import { OperatorError } from '../../../../services/domain/errors.ts'
import { isFromAnotherCluster, readLogEpoch } from '../../log-epoch.ts'
import type { EventLog } from '../../port.ts'

/** The log with Kafka's own offsets. */
export interface KafkaLog extends EventLog {
  /** The permanent id of the cluster; null when the brokers report none. @throws LogUnavailable */
  clusterId(): Promise<string | null>
}

/** A restore has begun and not finished, or has finished since this process began. The process must end and be started again. */
export class EpochEnded extends OperatorError {
  override readonly name = 'EpochEnded'
}

/** The log is a copy of one in another cluster, and no restore has made it ready for use yet. */
export class UnrestoredCopy extends OperatorError {
  override readonly name = 'UnrestoredCopy'
}

/** The epoch of the log, as one process reads it. */
export interface CurrentEpoch {
  /** The epoch, which is read only once. @throws LogUnavailable; EpochEnded while the log is being restored; UnrestoredCopy */
  get(): Promise<number>
  /** Checks that this epoch still holds. @throws LogUnavailable, EpochEnded, UnrestoredCopy */
  confirm(): Promise<void>
}

/** @param onEnded is called before `confirm` throws EpochEnded or UnrestoredCopy. */
export function currentEpoch(
  log: Pick<KafkaLog, 'bounds' | 'read' | 'clusterId'>,
  onEnded: (error: Error) => void,
): CurrentEpoch {
  let own: Promise<number> | null = null

  async function look(): Promise<{ epoch: number; problem: Error | null }> {
    const [noted, clusterId] = await Promise.all([readLogEpoch(log), log.clusterId()])
    return { epoch: noted.epoch, problem: problemOf(noted, clusterId) }
  }

  async function read(): Promise<number> {
    const { epoch, problem } = await look()
    if (problem) throw problem
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
      const { epoch, problem } = await look()
      if (epoch === expected && !problem) return
      const error = problem ?? new EpochEnded(`The log has been restored: epoch ${expected} has ended`)
      onEnded(error)
      throw error
    },
  }
}

/** Why no process may use the log; null when processes may. */
function problemOf(noted: LogEpoch, clusterId: string | null): Error | null {
  if (isFromAnotherCluster(noted, clusterId)) {
    return new UnrestoredCopy(
      `The log is a copy: it lies in the Kafka cluster ${clusterId} and was written in ${noted.clusterId}. Run \`make restore-log\` first, with \`ARGS=--offsets-kept\` if it has all offsets of its original (docs/restore.md)`,
    )
  }
  if (!noted.restoring) return null
  return new EpochEnded(
    'A restore of the log, or a migration, has begun and not ended: let it end, or run `make restore-log` or `make migrate` again',
  )
}
