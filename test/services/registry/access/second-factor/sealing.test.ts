import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSealing } from '../../../../../services/registry/access/second-factor/sealing.ts'

const [older, newer] = [randomBytes(32), randomBytes(32)]
const sealing = (...keys: Buffer[]) => createSealing({ keys, randomBytes })

it('opens what any of its keys sealed, for the same owner only', () => {
  const sealed = sealing(older).seal('secret', 'ada')
  expect(sealed).not.toContain('secret')
  expect(sealing(newer, older).open(sealed, 'ada')).toBe('secret')
  expect(sealing(newer, older).open(sealed, 'bob')).toBeNull()
  expect(sealing(newer).open(sealed, 'ada')).toBeNull()
  expect(sealing(older).seal('secret', 'ada')).not.toBe(sealed)
})

it('opens nothing that was damaged or made up', () => {
  const sealed = Buffer.from(sealing(older).seal('secret', 'ada'), 'base64url')
  for (let at = 0; at < sealed.length; at++) {
    const damaged = Buffer.from(sealed)
    damaged[at]! ^= 1
    expect(sealing(older).open(damaged.toString('base64url'), 'ada')).toBeNull()
  }
  for (const text of ['', 'x', 'A'.repeat(100)]) expect(sealing(older).open(text, 'ada')).toBeNull()
})
