import type { Type } from 'avsc'
import { currentSchema, releasedSchemas } from '../avro/schemas.ts'
import type { RecordTypes } from '../records/records.ts'
import type { RecordName } from '../topics.ts'
import { avroType } from './avro-type.ts'
import { fingerprintOf } from './fingerprint.ts'

/**
 * Avro single-object encoding: `C3 01 | CRC-64-AVRO of the writer's schema, 8 bytes little-endian | body`.
 * The fingerprint names one of `schemas/avro/released/<Record>.<version>.avsc`; bytes of an older version are resolved to
 * the current one, so no schema server is needed.
 */
const MARKER = 0x01c3
const HEADER_BYTES = 10

/** Bytes that are not a value of the record asked for. */
export class UndecodableRecord extends Error {
  override readonly name = 'UndecodableRecord'
}

/**
 * A record whose schema this program does not have: a newer version wrote it. Nothing is wrong with the record, so it must
 * not be given up; it waits for a program that can read it.
 */
export class UnknownSchema extends Error {
  override readonly name = 'UnknownSchema'
  /** Where it ends a process, the operator must start a newer version. */
  readonly isForOperator = true
}

interface Codec {
  type: Type
  header: Buffer
  /** Readers of older versions, by the fingerprint of their schema; null until bytes of an older version come. */
  readers: ReadonlyMap<bigint, Reader> | null
}

type Reader = ReturnType<Type['createResolver']>

/** Created at first use: a thread uses only a few codecs, and creating all would take a quarter of its start. */
const codecs = new Map<RecordName, Codec>()

function codecOf(name: RecordName): Codec {
  return codecs.get(name) ?? createCodec(name)
}

/** Values rarely outgrow this; those that do get a buffer of their own. */
const scratch = Buffer.allocUnsafe(64 * 1024)

/** @throws TypeError naming the first field that the record's schema does not allow. */
export function encode<K extends RecordName>(name: K, value: RecordTypes[K]): Buffer {
  const codec = codecOf(name)
  const written = name === 'RegistryEntry' ? withBranch(value as RecordTypes['RegistryEntry']) : value
  try {
    const end = codec.type.encode(written, scratch, HEADER_BYTES)
    const bytes = Buffer.allocUnsafe(end < 0 ? scratch.length - end : end)
    if (end < 0) codec.type.encode(written, bytes, HEADER_BYTES)
    else scratch.copy(bytes, HEADER_BYTES, HEADER_BYTES, end)
    codec.header.copy(bytes)
    return bytes
  } catch (error) {
    throw new TypeError(`${name}${firstInvalidField(codec.type, written)}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** The marker and fingerprint that stand before a record's body, for callers that write the body without `encode`. */
export function headerOf(name: RecordName): Buffer {
  return codecOf(name).header
}

/** Whether the bytes claim to be of the schema that `encode` writes. If so, the body follows `headerOf`. */
export function isOfCurrentSchema(name: RecordName, bytes: Uint8Array): boolean {
  const { header } = codecOf(name)
  if (bytes.length < HEADER_BYTES) return false
  for (let at = 0; at < HEADER_BYTES; at++) if (bytes[at] !== header[at]) return false
  return true
}

/**
 * Whether the bytes name a schema that this program does not have. It looks only at the header, so it is cheap.
 * @returns the error that `decode` would throw.
 */
export function unknownSchemaOf(name: RecordName, bytes: Uint8Array): UnknownSchema | null {
  if (isOfCurrentSchema(name, bytes)) return null
  const buffer = asBuffer(bytes)
  if (!isSingleObject(buffer)) return null
  const fingerprint = buffer.readBigUInt64LE(2)
  if (olderReaders(name).has(fingerprint)) return null
  return new UnknownSchema(`${name} of schema ${fingerprint.toString(16)} needs a newer version of Endcap`)
}

/**
 * @throws UndecodableRecord, with the reason, when the bytes are not a value of the record; UnknownSchema when they may be a
 * value of a version that this program does not have.
 */
export function decode<K extends RecordName>(name: K, bytes: Uint8Array): RecordTypes[K] {
  const buffer = asBuffer(bytes)
  if (!isSingleObject(buffer)) throw new UndecodableRecord(`${name}: not in Avro single-object encoding`)
  const { value, offset } = read(name, buffer, readerOf(name, buffer))
  if (offset < 0) throw new UndecodableRecord(`${name}: truncated`)
  if (offset < buffer.length) throw new UndecodableRecord(`${name}: ${buffer.length - offset} bytes too many`)
  return name === 'RegistryEntry' ? withoutBranch(value) : value
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function isSingleObject(buffer: Buffer): boolean {
  return buffer.length >= HEADER_BYTES && buffer.readUInt16LE(0) === MARKER
}

/** @returns undefined when the bytes are of the current schema. */
function readerOf(name: RecordName, buffer: Buffer): Reader | undefined {
  if (isOfCurrentSchema(name, buffer)) return undefined
  const reader = olderReaders(name).get(buffer.readBigUInt64LE(2))
  if (reader === undefined) throw unknownSchemaOf(name, buffer)!
  return reader
}

function read(name: RecordName, buffer: Buffer, reader: Reader | undefined) {
  try {
    return codecOf(name).type.decode(buffer, HEADER_BYTES, reader)
  } catch (error) {
    throw new UndecodableRecord(`${name}: ${(error as Error).message}`, { cause: error })
  }
}

/** avsc wraps a value of a union of records in the name of its branch. Our values have no such wrapper, because `kind` says the same. */
function withBranch(entry: RecordTypes['RegistryEntry']) {
  return { ...entry, body: { [`endcap.${entry.kind}`]: entry.body } }
}

function withoutBranch<T>(entry: { kind: string; body: Record<string, unknown> }): T {
  const body = entry.body[`endcap.${entry.kind}`]
  if (body === undefined) throw new UndecodableRecord(`RegistryEntry: the body is not a ${entry.kind}`)
  return { ...entry, body } as T
}

function createCodec(name: RecordName): Codec {
  const schema = currentSchema(name)
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16LE(MARKER)
  header.writeBigUInt64LE(fingerprintOf(schema), 2)
  const codec: Codec = { type: avroType(schema), header, readers: null }
  codecs.set(name, codec)
  return codec
}

function olderReaders(name: RecordName): ReadonlyMap<bigint, Reader> {
  const codec = codecOf(name)
  codec.readers ??= new Map(
    releasedSchemas(name).map(({ schema }) => [fingerprintOf(schema), codec.type.createResolver(avroType(schema))]),
  )
  return codec.readers
}

function firstInvalidField(type: Type, value: unknown): string {
  let path = ''
  type.isValid(value, { errorHook: (at) => (path ||= at.map((part) => `.${part}`).join('')) })
  return path
}
