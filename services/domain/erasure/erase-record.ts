import type { Erasure, RecordTypes } from '../../../schemas/records/records.ts'
import { type PersonalTopic, personalTopics, type TopicName } from '../../../schemas/topics.ts'
import { decode, encode, UndecodableRecord, UnknownSchema } from '../../../schemas/wire/codec.ts'
import type { Erasures } from './erasures.ts'
import { someIdentifier } from './identifier-plan.ts'

/** The key and value of a record of the log. */
export interface KeyAndValue {
  key: string | null
  value: Buffer | null
}

const personal: ReadonlySet<string> = new Set(personalTopics)
export const isPersonal = (topic: TopicName): topic is PersonalTopic => personal.has(topic)

/**
 * The record with its erased identifiers replaced by pseudonyms; null when it contains none. A record that cannot be decoded
 * counts as one without erased identifiers.
 */
export function erased(erasures: Erasures, topic: PersonalTopic, record: KeyAndValue): KeyAndValue | null {
  const { value } = record
  if (value === null) return null
  try {
    if (topic === 'dead-letters') return erasedLetter(erasures, record.key, value)
    if (!someIdentifier(topic, value, (identifier) => erasures.mayBe(identifier))) return null
    return erasedEvent(erasures, topic, { key: record.key, value })
  } catch (error) {
    if (error instanceof UndecodableRecord || error instanceof UnknownSchema) return null
    throw error
  }
}

/** A dead letter contains the record that could not be processed. */
function erasedLetter(erasures: Erasures, key: string | null, value: Buffer): KeyAndValue | null {
  const letter = decode('DeadLetter', value)
  const topic = letter.topic as TopicName
  if (!isPersonal(topic)) return null
  const inner = erased(erasures, topic, letter)
  return inner && { key, value: encode('DeadLetter', { ...letter, ...inner }) }
}

type EventTopic = Exclude<PersonalTopic, 'dead-letters'>

function erasedEvent(
  erasures: Erasures,
  topic: EventTopic,
  { key, value }: { key: string | null; value: Buffer },
): KeyAndValue | null {
  switch (topic) {
    case 'emissions':
      return replaced(erasures, 'Emission', key, decode('Emission', value))
    case 'transactions':
      return replaced(erasures, 'Transaction', key, decode('Transaction', value))
    case 'page-views':
      return replaced(erasures, 'PageView', key, decode('PageView', value))
    case 'corrections':
      return replaced(erasures, 'EventCorrection', key, { uid: null, ...decode('EventCorrection', value) })
    case 'ad-events':
      return replacedAdEvent(erasures, 'AdEvent', key, decode('AdEvent', value))
    case 'judged-events':
      return replacedAdEvent(erasures, 'JudgedEvent', key, decode('JudgedEvent', value))
  }
}

interface Person {
  cid: string
  uid: string | null
}

function replaced<K extends 'Emission' | 'Transaction' | 'PageView' | 'EventCorrection'>(
  erasures: Erasures,
  name: K,
  key: string | null,
  event: RecordTypes[K] & Person & { shopId: string; occurredAt: number },
): KeyAndValue | null {
  const person = withoutName(erasures, event.shopId, event.occurredAt, event)
  if (!person) return null
  // Some topics are keyed by the cid.
  return { key: key === event.cid ? person.cid : key, value: encode(name, { ...event, ...person }) }
}

/** An ad event also names, in its claims, the person to whom the ad was shown. That happened when the ad was emitted. */
function replacedAdEvent<K extends 'AdEvent' | 'JudgedEvent'>(
  erasures: Erasures,
  name: K,
  key: string | null,
  event: RecordTypes[K],
): KeyAndValue | null {
  const { claims, occurredAt } = event
  const actor = withoutName(erasures, claims.shopId, occurredAt, event)
  const viewer = withoutName(erasures, claims.shopId, claims.emittedAt, claims)
  if (!actor && !viewer) return null
  return { key, value: encode(name, { ...event, ...actor, claims: { ...claims, ...viewer } }) }
}

/** The person with erased identifiers replaced by pseudonyms; null when none is erased. */
function withoutName(erasures: Erasures, shopId: string, occurredAt: number, { cid, uid }: Person): Person | null {
  const pseudonym = (kind: Erasure['identifier'], value: string | null) =>
    value === null ? null : erasures.pseudonymOf(shopId, { kind, value }, occurredAt)
  const cidNow = pseudonym('CID', cid)
  const uidNow = pseudonym('UID', uid)
  return cidNow === null && uidNow === null ? null : { cid: cidNow ?? cid, uid: uidNow ?? uid }
}
