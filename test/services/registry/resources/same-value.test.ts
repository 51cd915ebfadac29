import { expect, test } from 'vitest'
import { decode, encode } from '../../../../schemas/wire/codec.ts'
import { isSameValue } from '../../../../services/registry/resources/same-value.ts'
import { samples } from '../../../schemas/samples.ts'

test('an entity is the same before and after it has been in the log, until something of it changes', () => {
  const entry = samples.RegistryEntry
  const read = decode('RegistryEntry', encode('RegistryEntry', entry))
  expect(isSameValue(read.body, entry.body)).toBe(true)
  expect(isSameValue(entry.body, { ...read.body })).toBe(true)
  expect(isSameValue(entry.body, { ...read.body, name: 'Another name' })).toBe(false)
})
