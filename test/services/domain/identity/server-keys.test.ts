import { describe, expect, it } from 'vitest'
import { parseServerKeys } from '../../../../services/domain/identity/server-keys.ts'

describe('parseServerKeys', () => {
  const secret = Buffer.alloc(32, 0xfb)

  it('reads keys in their order, in either base64 alphabet', () => {
    const text = `2:${secret.toString('base64')}, 1:${secret.toString('base64url')}`
    expect(parseServerKeys(text)).toEqual([
      { id: 2, secret },
      { id: 1, secret },
    ])
  })

  it.each([
    '',
    'x',
    '1:',
    '1:short',
    `256:${secret.toString('base64')}`,
    `-1:${secret.toString('base64')}`,
    `1:${secret.toString('base64')},`,
    `1:${secret.toString('base64')},1:${secret.toString('base64')}`,
  ])('refuses %j without showing a secret', (text) => {
    expect(() => parseServerKeys(text)).toThrow(/key number|two keys/)
    try {
      parseServerKeys(text)
    } catch (error) {
      expect(String(error)).not.toContain(secret.toString('base64'))
    }
  })
})
