import { codeOf } from './errors.ts'

/** The kinds of resources that Kafka grants rights on, and the names that a request concerns. */
export interface Resources {
  topic?: string | undefined
  group?: string | undefined
  transactionalId?: string | undefined
  cluster?: string | undefined
}
type Kind = keyof Resources

const KINDS: Readonly<Record<string, Kind>> = {
  TOPIC_AUTHORIZATION_FAILED: 'topic',
  GROUP_AUTHORIZATION_FAILED: 'group',
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 'transactionalId',
  CLUSTER_AUTHORIZATION_FAILED: 'cluster',
}
/** The right that each request needs; for all other requests see `GENERALLY`. The rights Read and Write include Describe. */
const RIGHTS: Readonly<Record<string, Partial<Record<Kind, string>>>> = {
  CreateTopics: { topic: 'Create' },
  CreatePartitions: { topic: 'Alter' },
  DescribeConfigs: { topic: 'DescribeConfigs' },
  IncrementalAlterConfigs: { topic: 'AlterConfigs' },
  DeleteGroups: { group: 'Delete' },
  offsetFetch: { topic: 'Describe' },
  addPartitionsToTxn: { topic: 'Write' },
  Produce: { topic: 'Write' },
  leaders: { topic: 'Describe' },
}
const GENERALLY: Readonly<Record<Kind, string>> = {
  topic: 'Read',
  group: 'Read',
  transactionalId: 'Write',
  cluster: 'IdempotentWrite',
}
const WORDS: Readonly<Record<Kind, string>> = {
  topic: 'the topic ',
  group: 'the group ',
  transactionalId: 'the transactional id ',
  cluster: 'the cluster, or Write on any topic',
}

/** Makes the error of a missing right say which right is missing and on what. Returns any other error as it is. */
export function namingTheRight<E extends Error>(error: E, api: string, resources: Resources): E {
  const code = codeOf(error)
  const kind = KINDS[code]
  // A right that was named earlier stays: more was known about the request there.
  if (kind === undefined || error.message.endsWith(`(${code})`)) return error
  const right = RIGHTS[api]?.[kind] ?? GENERALLY[kind]
  const resource = `${WORDS[kind]}${resources[kind] ?? ''}`
  const message = `the user of this process lacks the right ${right} on ${resource} (${code})`
  return Object.assign(error, { message })
}

/** The group and the topics that the options of one of kafkajs' requests name. */
export function namedBy(options: object): Resources {
  const { groupId, topics } = options as { groupId?: string; topics?: readonly { topic: string }[] }
  return {
    ...(groupId === undefined ? {} : { group: groupId }),
    ...(topics?.[0] ? { topic: topics.map(({ topic }) => topic).join(', ') } : {}),
  }
}
