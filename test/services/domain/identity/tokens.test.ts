import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bearerToken, equalHashes, hashToken, isUsable, newToken } from '../../../../services/domain/identity/tokens.ts'

describe('tokens', () => {
  it('hold 256 random bits behind a prefix that scanners know', () => {
    const token = newToken(() => Buffer.alloc(32, 0xff))
    expect(token).toBe(`endcap_${'_'.repeat(42)}8`)
    expect(newToken(randomBytes)).not.toBe(newToken(randomBytes))
    expect(bearerToken(`Bearer ${token}`)).toBe(token)
  })

  it('are hashed with SHA-256', () => {
    expect(hashToken('secret')).toBe(createHash('sha256').update('secret').digest('base64url'))
    expect(equalHashes(hashToken('a'), hashToken('a'))).toBe(true)
    expect(equalHashes(hashToken('a'), hashToken('b'))).toBe(false)
    expect(equalHashes('a', 'ab')).toBe(false)
  })

  it.each([
    ['Bearer abc', 'abc'],
    ['bearer  abc= ', 'abc='],
    ['Bearer', null],
    ['Bearer ', null],
    ['Bearer a b', null],
    ['Basic abc', null],
    ['xBearer abc', null],
    [undefined, null],
  ])('are read from %s', (header, token) => {
    expect(bearerToken(header)).toBe(token)
  })

  it('work until they expire or are revoked', () => {
    expect(isUsable({ expiresAt: null, revokedAt: null }, 5)).toBe(true)
    expect(isUsable({ expiresAt: 6, revokedAt: null }, 5)).toBe(true)
    expect(isUsable({ expiresAt: 5, revokedAt: null }, 5)).toBe(false)
    expect(isUsable({ expiresAt: null, revokedAt: 1 }, 5)).toBe(false)
  })
})
