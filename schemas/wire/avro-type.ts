import avro, { type Type } from 'avsc'

/**
 * For speed, avsc reads without checks: a corrupted item count would make it fill memory before it notices, and it takes any byte for
 * a boolean. In our records every item takes at least a byte, so the types here refuse a count beyond the bytes left at once.
 */

/** The part of avsc's reader that its type declarations leave out. */
interface Tap {
  buf: Buffer
  pos: number
  readLong(): number
  writeLong(value: number): void
  readString(): string
}
interface Readable {
  _read(tap: Tap): unknown
}

class Corrupt extends Error {
  override readonly name = 'Corrupt'
}

/** Items of the next block of an array or map; 0 ends it. */
function blockLength(tap: Tap): number {
  let length = tap.readLong()
  if (length < 0) {
    length = -length
    tap.readLong()
  }
  if (!(length <= tap.buf.length - tap.pos)) throw new Corrupt('a list is longer than the bytes that hold it')
  return length
}

class BoundedArray extends avro.types.ArrayType {
  _read(this: BoundedArray & { itemsType: Readable }, tap: Tap): unknown[] {
    const items: unknown[] = []
    for (let left = blockLength(tap); left > 0; left = blockLength(tap)) {
      for (; left > 0; left--) items.push(this.itemsType._read(tap))
    }
    return items
  }
}

class BoundedMap extends avro.types.MapType {
  _read(this: BoundedMap & { valuesType: Readable }, tap: Tap): object {
    const entries: [string, unknown][] = []
    for (let left = blockLength(tap); left > 0; left = blockLength(tap)) {
      for (; left > 0; left--) entries.push([tap.readString(), this.valuesType._read(tap)])
    }
    // Unlike assignment this keeps a key named __proto__.
    return Object.fromEntries(entries)
  }
}

class StrictBoolean extends avro.types.BooleanType {
  _read(tap: Tap): boolean {
    const byte = tap.buf[tap.pos++]
    if (byte !== 0 && byte !== 1) throw new Corrupt('a boolean is neither 0 nor 1')
    return byte === 1
  }
}

class StrictInt extends avro.types.IntType {
  _read(tap: Tap): number {
    const value = tap.readLong()
    if (value !== (value | 0)) throw new Corrupt('an int is longer than 32 bits')
    return value
  }
}

/** avsc doubles a long for zigzag encoding; beyond this limit the result is no longer exact as a double. */
const LONG_MAX = 2 ** 52

class StrictLong extends avro.types.LongType {
  _write(tap: Tap, value: number): void {
    if (!Number.isInteger(value) || Math.abs(value) > LONG_MAX) throw new RangeError(`invalid "long": ${value}`)
    tap.writeLong(value)
  }
  _read(tap: Tap): number {
    const value = tap.readLong()
    if (!(Math.abs(value) <= LONG_MAX)) throw new Corrupt('a long is over 2^52')
    return value
  }
}

type Compile = new (schema: unknown, options: unknown) => Type
const strict: Record<string, unknown> = {
  boolean: StrictBoolean,
  int: StrictInt,
  long: StrictLong,
  array: BoundedArray,
  map: BoundedMap,
}

/** Compiles a schema. Compile once: it generates code. */
export function avroType(schema: object): Type {
  return avro.Type.forSchema(schema as never, {
    omitRecordMethods: true,
    typeHook(part, options) {
      const name = typeof part === 'string' ? part : (part as { type?: unknown }).type
      const Strict = typeof name === 'string' ? (strict[name] as Compile | undefined) : undefined
      return Strict && new Strict(part, options)
    },
  })
}
