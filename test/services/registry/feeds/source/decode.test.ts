import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeFeed } from '../../../../../services/registry/feeds/source/decode.ts'

async function decode(bytes: Uint8Array, chunkBytes = 1_000): Promise<string> {
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  let text = ''
  for await (const part of decodeFeed(pieces())) text += part
  return text
}

const xml = (encoding: string, text: string) => `<?xml version="1.0" encoding="${encoding}"?><rss>${text}</rss>`
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()
const long = 'zażółć gęślą jaźń 😀 '.repeat(100)

describe('the text of a feed', () => {
  it.each([
    ['UTF-8', Buffer.from(xml('utf-8', long)), xml('utf-8', long)],
    ['UTF-8 that does not say so', Buffer.from(`<rss>${long}</rss>`), `<rss>${long}</rss>`],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${xml('utf-8', long)}`), xml('utf-8', long)],
    ['a mark against the declaration', Buffer.from(`\ufeff${xml('iso-8859-1', long)}`), xml('iso-8859-1', long)],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${xml('utf-16', long)}`, 'utf16le'), xml('utf-16', long)],
    ['big-endian UTF-16 with a mark', utf16be(`\ufeff${xml('utf-16', long)}`), xml('utf-16', long)],
    ['UTF-16 without a mark', Buffer.from(xml('utf-16le', long), 'utf16le'), xml('utf-16le', long)],
    ['big-endian UTF-16 without a mark', utf16be(xml('utf-16be', long)), xml('utf-16be', long)],
    ['UTF-8 that says it is UTF-16', Buffer.from(xml('utf-16', long)), xml('utf-16', long)],
    ['ISO-8859-1', Buffer.from(xml('ISO-8859-1', 'caf\xe9'), 'latin1'), xml('ISO-8859-1', 'café')],
    ['Windows-1252', Buffer.from(xml('windows-1252', '5 \x80'), 'latin1'), xml('windows-1252', '5 €')],
    ['Windows-1250', Buffer.from(xml('windows-1250', '\xbf\xf3\xb3w'), 'latin1'), xml('windows-1250', 'żółw')],
    ['Windows-1251', Buffer.from(xml('windows-1251', '\xc4\xe0'), 'latin1'), xml('windows-1251', 'Да')],
    ['bytes of another encoding', Buffer.from(xml('utf-8', 'caf\xe9'), 'latin1'), xml('utf-8', 'caf\ufffd')],
  ])('is read from %s', async (_name, bytes, text) => {
    for (const chunkBytes of [1, 7, 100_000]) expect(await decode(bytes, chunkBytes)).toBe(text)
    expect(await decode(gzipSync(bytes))).toBe(text)
  })

  it('is read from gzip within gzip, as servers send it', async () => {
    expect(await decode(gzipSync(gzipSync('<rss/>')), 5)).toBe('<rss/>')
  })

  it.each([
    ['no bytes', Buffer.alloc(0), /empty/],
    ['an unknown encoding', Buffer.from(xml('klingon', '')), /"klingon"/],
    ['a ZIP', Buffer.from('PK\x03\x04............'), /ZIP/],
    ['gzip cut short', gzipSync(long.repeat(50)).subarray(0, 60), /gzip data is broken/],
    [
      'gzip that is damaged',
      Buffer.concat([gzipSync('x').subarray(0, 10), Buffer.alloc(50, 255)]),
      /gzip data is broken/,
    ],
    ['gzip three times over', gzipSync(gzipSync(gzipSync('<rss/>'))), /too many times/],
  ])('is refused from %s', async (_name, bytes, message) => {
    await expect(decode(bytes)).rejects.toThrow(message)
  })

  it('is refused from gzip that blows up', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 1024 ** 2))
    let chars = 0
    const reading = (async () => {
      for await (const part of decodeFeed(one(bomb))) chars += part.length
    })()
    await expect(reading).rejects.toThrow(/100 times/)
    expect(chars).toBeLessThanOrEqual(66 * 1024 ** 2)
  })
})

async function* one(bytes: Uint8Array) {
  yield bytes
}
