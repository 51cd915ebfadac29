import kafkajs from 'kafkajs'
import type { Broker, Protocol } from 'kafkajs/internals'
import type Cluster from 'kafkajs/src/cluster/index.js'
import { findCoordinatorRequest } from './protocol/requests.ts'

/** The broker that a request goes to: by its role, or the controller for ANY. */
export type Target =
  | { leaderOf: { topic: string; partition: number } }
  | { groupOf: string }
  | { transactionOf: string }
  | 'ANY'

/** Finds the brokers that requests go to. What it has learned of them holds until `refresh`, or until the metadata is too old. */
export function createBrokerLookup(cluster: Cluster) {
  const coordinators = new Map<string, number>()
  let stale = true

  async function ensureMetadata(topic?: string): Promise<void> {
    if (topic !== undefined && !cluster.targetTopics.has(topic)) {
      await cluster.connect()
      await cluster.addMultipleTargetTopics([topic])
    } else if (stale) {
      await cluster.connect()
      await cluster.refreshMetadata()
    } else await cluster.refreshMetadataIfNecessary()
    stale = false
  }

  async function leadersOf(topic: string): Promise<Map<number, number>> {
    await ensureMetadata(topic)
    const partitions = cluster.findTopicPartitionMetadata(topic)
    // While a refresh is in flight, kafkajs takes it for the refresh of a topic added meanwhile, which it did not ask about.
    if (partitions.length === 0)
      throw new kafkajs.KafkaJSTopicMetadataNotLoaded(`The leaders of ${topic} are not known yet`)
    return new Map(partitions.map(({ partitionId, leader }) => [partitionId, leader]))
  }

  async function coordinator(coordinatorType: 0 | 1, groupId: string): Promise<Broker> {
    await ensureMetadata()
    const key = `${coordinatorType}/${groupId}`
    const known = coordinators.get(key)
    if (known !== undefined) return cluster.findBroker({ nodeId: known })
    // kafkajs has this request, too, but its error leaves out why the request was refused.
    const asked = await cluster.brokerPool.findConnectedBroker()
    const nodeId = await send(asked, findCoordinatorRequest(groupId, coordinatorType))
    const broker = await cluster.findBroker({ nodeId })
    coordinators.set(key, nodeId)
    return broker
  }

  async function brokerFor(target: Target): Promise<Broker> {
    if (target === 'ANY') {
      await ensureMetadata()
      return cluster.findControllerBroker()
    }
    if ('groupOf' in target) return coordinator(0, target.groupOf)
    if ('transactionOf' in target) return coordinator(1, target.transactionOf)
    const { topic, partition } = target.leaderOf
    let nodeId = (await leadersOf(topic)).get(partition)
    if (nodeId === undefined) {
      // The partition may have been added since the metadata was loaded.
      stale = true
      nodeId = (await leadersOf(topic)).get(partition)
    }
    if (nodeId === undefined) throw new RangeError(`${topic} has no partition ${partition}`)
    return cluster.findBroker({ nodeId })
  }

  function refresh(): void {
    stale = true
    coordinators.clear()
  }

  return {
    brokerFor,
    /** The node that leads each partition of a topic, by partition; at least one. */
    leadersOf,
    /** Makes the next look-up reload the metadata. */
    refresh,
  }
}

/** Sends a request as kafkajs sends its own. */
export async function send<T>(broker: Broker, protocol: Protocol<T>): Promise<T> {
  try {
    return await broker.connectionPool.send(protocol)
  } catch (error) {
    if ((error as Error).name === 'KafkaJSConnectionClosedError') await broker.disconnect()
    throw error
  }
}
