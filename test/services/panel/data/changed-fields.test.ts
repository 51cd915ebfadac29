import { expect, it } from 'vitest'
import { changedFields } from '../../../../services/panel/web/data/changes/changed-fields.ts'

it('sends only the fields whose values differ, lists as a whole', () => {
  const before = { name: 'Lumbra', sellerIds: ['a', 'b'], taxNumber: null as string | null, displayEnabled: false }
  expect(changedFields(before, structuredClone(before))).toEqual({})
  const after = { ...before, sellerIds: ['a', 'c'], taxNumber: '', displayEnabled: true }
  expect(changedFields(before, after)).toEqual({ sellerIds: ['a', 'c'], taxNumber: '', displayEnabled: true })
})

it('sends a field that was absent before', () => {
  expect(
    changedFields<{ name: string; password?: string | null }>({ name: 'Feed' }, { name: 'Feed', password: null }),
  ).toEqual({
    password: null,
  })
})
