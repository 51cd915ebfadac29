import type { Counters } from '../../infra/counters/port.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import { type TopicName, unitOf } from '../../schemas/topics.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { carrySpend } from '../spend-checkpoints/spend-checkpoints.ts'
import { type Growth, growthOf, RepartitionRefused, type TopicPartitions } from './plan.ts'

/** Reads and changes the partitions of the log's topics. */
export interface PartitionControl {
  counts(): Promise<TopicPartitions>
  /** Adds partitions, and resolves once every broker knows them. */
  grow(growth: Growth): Promise<void>
  /** The names of the streams' consumer groups that have members, to be shown to a person. */
  activeGroups(): Promise<string[]>
}

export interface RepartitionDeps {
  control: PartitionControl
  log: Pick<EventLog, 'append'>
  /** Counters with as many shards as `ad-events` has partitions before the change. */
  counters: Counters
  snapshot: Snapshot
  /** Judges and refunds everything that the log holds, and completes the counters. @throws when something is left. */
  finish(): Promise<void>
  /** Resolves once no process still appends to a partition that it had chosen before the call. */
  appendsSettled(): Promise<void>
  /** Says which step is done. */
  onStep(step: string): void
}

/** The unit of everything that the counters are counted from. */
const UNIT = unitOf('ad-events')

/**
 * Adds partitions to topics while no stream runs. After a crash, running it again completes it. The steps are:
 *
 * 1. `spend-checkpoints` grows. From then on nothing is appended to the other topics of its unit, which have fewer partitions:
 *    events wait in the spools of the processes that receive them. No stream starts on such a log.
 * 2. Everything in the log is judged and refunded by the old number of partitions, so that nothing of a key is open when it moves.
 * 3. What each campaign that moves has spent is written to its new partition, because no other record there says it.
 * 4. All other topics grow. From here on keys are placed by the new number, and the counters are counted again.
 *
 * @throws RepartitionRefused, and nothing was changed.
 */
export async function repartition(deps: RepartitionDeps, wanted: TopicPartitions): Promise<Growth> {
  const { control, onStep } = deps
  const present = await control.counts()
  const growth = growthOf(present, wanted)
  const active = await control.activeGroups()
  if (active.length > 0) {
    throw new RepartitionRefused(
      `Streams are running: ${active.join(', ')}. Stop every process with the role streams. One that was killed still counts ` +
        'as running for some seconds',
    )
  }
  if (UNIT.some((topic) => growth.has(topic))) await moveCampaigns(deps, present, wanted.get('ad-events')!)
  const left = growthOf(await control.counts(), wanted)
  await control.grow(left)
  onStep(`Partitions added: ${[...growth].map(([topic, to]) => `${topic} ${to}`).join(', ')}`)
  return growth
}

/** Steps 1 to 3. Nothing of them is left to do once the judge's output has grown. */
async function moveCampaigns(deps: RepartitionDeps, present: TopicPartitions, to: number): Promise<void> {
  const { control, onStep, finish, appendsSettled } = deps
  const from = present.get('ad-events')!
  const others: TopicName[] = ['judged-events', 'corrections']
  if (from === to || others.some((topic) => present.get(topic) !== from)) return
  if (present.get('spend-checkpoints') === from) await control.grow(new Map([['spend-checkpoints', to]]))
  await appendsSettled()
  onStep('New events are spooled to disk from now on')
  await finish()
  onStep('All earlier events are judged')
  await carrySpend(deps, to)
  onStep('The spend of campaigns is copied')
}
