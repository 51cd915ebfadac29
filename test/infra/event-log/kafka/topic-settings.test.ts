import { expect, it } from 'vitest'
import { copiesProblem, settingsToChange, wantedSettings } from '../../../../infra/event-log/kafka/topic-settings.ts'
import { topicNames } from '../../../../schemas/topics.ts'

const OPTIONS = { replicationFactor: 1 }
const settingsIn = (values: Record<string, string>) => Object.entries(values).map(([name, value]) => ({ name, value }))

const changed = (
  topic: Parameters<typeof wantedSettings>[0],
  options: Parameters<typeof wantedSettings>[1],
  found: Record<string, string>,
) =>
  Object.fromEntries(
    settingsToChange(wantedSettings(topic, options), settingsIn(found)).map(({ name, value }) => [name, value]),
  )

const made = (topic: Parameters<typeof wantedSettings>[0], options: Parameters<typeof wantedSettings>[1]) =>
  Object.fromEntries(wantedSettings(topic, options).map(({ name, value }) => [name, value]))

it('topics that Endcap has made need no change', () => {
  for (const topic of topicNames) {
    const options = { replicationFactor: 3, retentionMs: 7 * 86_400_000 }
    expect(changed(topic, options, made(topic, options)), topic).toEqual({})
  }
})

it('settings of an operator stay while they break no promise of the log', () => {
  const set = { ...made('ad-events', { replicationFactor: 1 }), 'retention.ms': '1000', 'segment.bytes': '1048576' }
  const larger = { 'max.message.bytes': '9000000', 'min.insync.replicas': '3', 'delete.retention.ms': '5' }
  expect(changed('ad-events', { replicationFactor: 1 }, { ...set, ...larger })).toEqual({})
})

it('missing settings are set, and those that are too small are raised', () => {
  const options = { replicationFactor: 3 }
  expect(changed('registry', options, {})).toEqual(made('registry', options))
  const small = { 'max.message.bytes': '1000', 'min.insync.replicas': '1' }
  const { 'max.message.bytes': max, 'min.insync.replicas': insync } = made('registry', options)
  expect(changed('registry', options, { ...made('registry', options), ...small })).toEqual({
    'max.message.bytes': max,
    'min.insync.replicas': insync,
  })
})

it("defaults of the brokers that would lose records are overruled, and an operator's own choice is not", () => {
  const { 'retention.bytes': bytes, 'unclean.leader.election.enable': unclean, ...rest } = made('ad-events', OPTIONS)
  const wanted = wantedSettings('ad-events', OPTIONS)
  const names = (found: Record<string, string>, defaults: Record<string, string>) =>
    settingsToChange(wanted, settingsIn(found), settingsIn(defaults)).map(({ name }) => name)
  const safe = { 'retention.bytes': '-1', 'unclean.leader.election.enable': 'false' }
  expect({ 'retention.bytes': bytes, 'unclean.leader.election.enable': unclean }).toEqual(safe)
  expect(names(rest, safe)).toEqual([])
  const losing = { 'retention.bytes': '1073741824', 'unclean.leader.election.enable': 'true' }
  expect(names(rest, losing)).toEqual(Object.keys(losing))
  expect(names({ ...rest, ...losing }, losing)).toEqual([])
})

it('settings that would break the log are put back: cleanup policy and timestamps', () => {
  const options = { replicationFactor: 1 }
  const broken = { 'cleanup.policy': 'compact', 'message.timestamp.type': 'CreateTime' }
  expect(changed('transactions', options, { ...made('transactions', options), ...broken })).toEqual({
    'cleanup.policy': 'delete',
    'message.timestamp.type': 'LogAppendTime',
  })
})

it('a configured retention applies to retained topics only', () => {
  const options = { replicationFactor: 1, retentionMs: 86_400_000 }
  const before = { 'retention.ms': '34560000000' }
  expect(changed('ad-events', options, { ...made('ad-events', options), ...before })).toEqual({
    'retention.ms': '86400000',
  })
  expect(changed('registry', options, made('registry', { replicationFactor: 1 }))).toEqual({})
})

it('a topic keeps its records for as long as it is asked to, and a common retention never breaks a promise', () => {
  const retention = (topic: Parameters<typeof wantedSettings>[0], options: object) =>
    Number(made(topic, { replicationFactor: 1, ...options })['retention.ms']) / 86_400_000
  const week = 7 * 86_400_000
  expect(retention('emissions', { retentionMs: week })).toBe(7)
  expect(retention('judged-events', { retentionMs: week })).toBe(39)
  expect(retention('feed-issues', { retentionMs: 100 * 86_400_000 })).toBe(30)
  const options = { retentionMs: week, topicRetentionMs: { emissions: 500 * 86_400_000 } }
  expect(retention('emissions', options)).toBe(500)
  expect(retention('transactions', options)).toBe(7)
})

it('a topic with fewer copies than must be in sync can never be written', () => {
  const needing = (value: string) => [{ name: 'min.insync.replicas', value }]
  expect(copiesProblem('t', needing('2'), 1)).toMatch(
    /t has 1 copies of each partition and its min\.insync\.replicas is 2/,
  )
  expect([copiesProblem('t', needing('2'), 2), copiesProblem('t', needing('2'), 3), copiesProblem('t', [], 1)]).toEqual(
    [null, null, null],
  )
})
