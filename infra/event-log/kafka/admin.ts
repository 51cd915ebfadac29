import kafkajs, { type Admin, type KafkaConfig } from 'kafkajs'
import { inAnyOrder, type KafkaAddress } from './client/broker-client.ts'
import { patchKafkajs } from './client/patches.ts'

/** Brokers take up to five seconds to make topics. */
const REQUEST_TIMEOUT_MS = 10_000
/** About five seconds in all. Callers that wait for Kafka call again. */
const RETRY = { retries: 8, initialRetryTime: 100, maxRetryTime: 1_000 }

/** kafkajs' public client for administration, which retries by itself. It may ask a frozen broker again and again. */
export function openAdmin({ brokers, clientId, ssl, sasl, socketFactory }: KafkaAddress): Admin {
  patchKafkajs()
  const config = { brokers: inAnyOrder(brokers), clientId, ssl, sasl, socketFactory } as KafkaConfig
  const { NOTHING } = kafkajs.logLevel
  return new kafkajs.Kafka({ ...config, requestTimeout: REQUEST_TIMEOUT_MS, retry: RETRY, logLevel: NOTHING }).admin()
}

/** Connects for as long as the work takes: for requests that a process makes only a few times in its life. */
export async function asAdmin<T>(options: KafkaAddress, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = openAdmin(options)
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.disconnect()
  }
}
