import type { LogEpoch } from '../../../../schemas/records/records.ts'
import { OperatorError } from '../../../../services/domain/errors.ts'
import { EPOCH_MAX } from '../../epochs.ts'
import { isFromAnotherCluster, logEpochRecord, readLogEpoch } from '../../log-epoch.ts'
import type { EventLog } from '../../port.ts'
import { asAdmin } from '../admin.ts'
import { connectWithoutEpoch, type KafkaEventLogOptions } from '../event-log.ts'
import { withEpoch } from './with-epoch.ts'

/** Processes still use the log. */
class LogInUse extends OperatorError {
  override readonly name = 'LogInUse'
}

/** A restore of a log that no process uses. */
export interface LogRestore {
  /** The log as it lies in Kafka, with Kafka's own offsets. Offsets that its records name are others: those of the original. */
  readonly copy: EventLog
  /**
   * Begins the next epoch, deletes the commits of all groups, and keeps processes from starting. After an interruption it
   * continues the epoch that was begun.
   * @param seen the highest epoch that a record names.
   * @returns the log in the new epoch.
   */
  begin(seen: number): Promise<{ epoch: number; log: EventLog }>
  /** Ends the restore: from now on processes may start. */
  finish(judgedTo: LogEpoch['judgedTo']): Promise<void>
  /** Takes the place of a restore when the copy has all offsets and commits of its original: declares this cluster to be the log's. */
  adopt(): Promise<void>
  close(): Promise<void>
}

/** @throws LogInUse; LogUnavailable */
export async function openLogRestore(options: KafkaEventLogOptions): Promise<LogRestore> {
  const copy = connectWithoutEpoch(options)
  const groups = await groupsIn(options)
  const running = groups.filter(({ members }) => members > 0)
  if (running.length > 0) {
    await copy.close()
    const names = running.map(({ name, members }) => `${name} (${members})`).join(', ')
    throw new LogInUse(
      `Processes work on the log: end them all first. Groups with members: ${names}. A killed process stays a member until KAFKA_SESSION_TIMEOUT_MS has passed`,
    )
  }
  let begun: LogEpoch | null = null

  return {
    copy,
    async begin(seen) {
      const [last, clusterId] = await Promise.all([readLogEpoch(copy), copy.clusterId()])
      // A restore that was begun in another cluster was begun with other offsets.
      const goesOn = last.restoring && !isFromAnotherCluster(last, clusterId)
      const epoch = goesOn ? last.epoch : Math.max(last.epoch, seen) + 1
      if (epoch > EPOCH_MAX)
        throw new RangeError(`The log has been restored ${EPOCH_MAX} times, and cannot be restored again`)
      begun = { epoch, restoring: true, restoredAt: options.now(), judgedTo: [], clusterId }
      await copy.append([logEpochRecord(begun)])
      for (const { name } of groups) await copy.reset(name, null)
      return { epoch, log: withEpoch(copy, { get: async () => epoch, confirm: async () => {} }) }
    },
    async finish(judgedTo) {
      await copy.append([logEpochRecord({ ...begun!, restoring: false, judgedTo })])
    },
    async adopt() {
      const [last, clusterId] = await Promise.all([readLogEpoch(copy), copy.clusterId()])
      await copy.append([logEpochRecord({ ...last, clusterId })])
    },
    close: () => copy.close(),
  }
}

/** Records the cluster's id in a log that names no cluster: a new log, or one of an earlier version. */
export async function noteCluster(options: KafkaEventLogOptions): Promise<void> {
  const log = connectWithoutEpoch(options)
  try {
    const [last, clusterId] = await Promise.all([readLogEpoch(log), log.clusterId()])
    if (last.clusterId !== null || last.restoring || clusterId === null) return
    await log.append([logEpochRecord({ ...last, clusterId })])
  } finally {
    await log.close()
  }
}

/** The groups of the namespace; their names are without its prefix. */
function groupsIn(options: KafkaEventLogOptions): Promise<{ name: string; members: number }[]> {
  const prefix = `${options.namespace}.`
  return asAdmin(options, async (admin) => {
    const ids = (await admin.listGroups()).groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(prefix))
    if (ids.length === 0) return []
    const { groups } = await admin.describeGroups(ids)
    return groups.map(({ groupId, members }) => ({ name: groupId.slice(prefix.length), members: members.length }))
  })
}
