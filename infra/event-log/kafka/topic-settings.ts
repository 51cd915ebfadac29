import { DAY_MS } from '../../../schemas/durations.ts'
import { type TopicName, topics } from '../../../schemas/topics.ts'
import { RECORD_MAX_BYTES } from '../port.ts'
import type { TopicNumbers } from './partition-counts.ts'

/** Room for a batch of one record of the largest size, or of BATCH_MAX_BYTES, plus what the format adds. */
const MESSAGE_MAX_BYTES = RECORD_MAX_BYTES + 256 * 1024
const TOMBSTONE_RETENTION_MS = DAY_MS
const SEGMENT_MS = DAY_MS
const UNLIMITED = -1

/**
 * What we insist on for one setting of a topic. EXACT: another value would break a promise of the log. AT_LEAST: a smaller number
 * would. WHEN_MISSING: any value is fine, and one that an operator has set stays. INSTEAD_OF_DEFAULT: the same, but nothing is set
 * where the default of the brokers is this value.
 */
export interface WantedSetting {
  name: string
  value: string
  rule: 'EXACT' | 'AT_LEAST' | 'WHEN_MISSING' | 'INSTEAD_OF_DEFAULT'
}

/** A setting of a topic, or a default of the brokers. */
export interface FoundSetting {
  name: string
  value: string
}

export interface TopicSettingsOptions {
  /** Replicas of each partition. With 3 or more, a write needs two of them, so that one broker may fail without a loss or a halt. */
  replicationFactor: number
  /**
   * Shortens the retention of retained topics, but not below the minimum of each. Default: the retention in
   * `schemas/topics.ts`.
   */
  retentionMs?: number
  /** The retention of single topics in milliseconds, shorter or longer than the default, in place of `retentionMs`. */
  topicRetentionMs?: TopicNumbers
}

export function wantedSettings(topic: TopicName, options: TopicSettingsOptions): WantedSetting[] {
  const { kind, retentionMs } = topics[topic]
  const isCompacted = kind === 'compacted'
  const asked = isCompacted ? undefined : askedRetentionMs(topic, options)
  const settings: [string, string | number, WantedSetting['rule']][] = [
    ['cleanup.policy', isCompacted ? 'compact' : 'delete', 'EXACT'],
    asked === undefined ? ['retention.ms', retentionMs, 'WHEN_MISSING'] : ['retention.ms', asked, 'EXACT'],
    ['delete.retention.ms', TOMBSTONE_RETENTION_MS, 'WHEN_MISSING'],
    ['max.message.bytes', MESSAGE_MAX_BYTES, 'AT_LEAST'],
    ['min.insync.replicas', options.replicationFactor >= 3 ? 2 : 1, 'AT_LEAST'],
    // The time of a record is when the log accepted it, by the brokers' clocks.
    ['message.timestamp.type', 'LogAppendTime', 'EXACT'],
    // These two would lose acknowledged records: a size at which old ones are deleted, and a leader that has not got the last ones.
    ['retention.bytes', UNLIMITED, 'INSTEAD_OF_DEFAULT'],
    ['unclean.leader.election.enable', 'false', 'INSTEAD_OF_DEFAULT'],
  ]
  // Only closed segments are compacted.
  if (isCompacted) settings.push(['segment.ms', SEGMENT_MS, 'WHEN_MISSING'])
  return settings.map(([name, value, rule]) => ({ name, value: String(value), rule }))
}

function askedRetentionMs(topic: TopicName, options: TopicSettingsOptions): number | undefined {
  const { retentionMs, retentionMinMs } = topics[topic]
  const common = options.retentionMs
  const single = options.topicRetentionMs?.[topic]
  return single ?? (common === undefined ? undefined : Math.max(retentionMinMs, Math.min(retentionMs, common)))
}

/**
 * The wanted settings that a topic does not satisfy. All others are left alone.
 * @param found the settings that were made on the topic itself.
 */
export function settingsToChange(
  wanted: readonly WantedSetting[],
  found: readonly FoundSetting[],
  defaults: readonly FoundSetting[] = [],
): WantedSetting[] {
  const values = valuesByName(found)
  const defaultValues = valuesByName(defaults)
  return wanted.filter(({ name, value, rule }) => {
    const current = values.get(name)
    if (current === undefined) return rule !== 'INSTEAD_OF_DEFAULT' || defaultValues.get(name) !== value
    if (rule === 'EXACT') return current !== value
    return rule === 'AT_LEAST' && Number(current) < Number(value)
  })
}

const valuesByName = (settings: readonly FoundSetting[]) => new Map(settings.map(({ name, value }) => [name, value]))

/** Why a topic can never be written, when more replicas must be in sync than it has; otherwise null. */
export function copiesProblem(topic: string, found: readonly FoundSetting[], copies: number): string | null {
  const needed = Number(found.find(({ name }) => name === 'min.insync.replicas')?.value ?? 1)
  if (needed <= copies) return null
  return `${topic} has ${copies} copies of each partition and its min.insync.replicas is ${needed}, so that nothing can be written to it: lower that setting, or add copies`
}
