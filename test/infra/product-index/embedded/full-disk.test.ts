import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openEmbeddedProductIndex } from '../../../../infra/product-index/embedded/product-index.ts'
import { IndexUnavailable, type ProductIndex } from '../../../../infra/product-index/port.ts'
import { anOffer } from '../offer.fixture.ts'

const BATCH = 200

describe.skipIf(process.getuid?.() !== 0)('a full disk of the product index', () => {
  let folder: string
  let index: ProductIndex
  const resize = (how: string, kib: number) =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', `${how}size=${kib}k`, 'tmpfs', folder])
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'full-index-'))
    resize('', 2_048)
    index = await openEmbeddedProductIndex({ folder })
  })
  afterEach(async () => {
    await index.close()
    execFileSync('umount', [folder])
    rmSync(folder, { recursive: true })
  })

  const writeBatch = (batch: number) =>
    index.write(
      Array.from({ length: BATCH }, (_, i) => {
        return { kind: 'offer', version: 1, offer: anOffer({ id: `p${batch}-${i}`, title: `Lamp ${batch} ${i}` }) }
      }),
    )
  const storedOf = async (batch: number) => {
    await index.refresh()
    const ids = Array.from({ length: BATCH }, (_, i) => `p${batch}-${i}`)
    return (await index.get('shop', ids)).length
  }

  test('stores no part of a batch, says that it is the index that cannot be written, and goes on when there is room', async () => {
    let batch = 0
    let refusal: unknown = null
    for (; refusal === null; batch++) {
      await writeBatch(batch).catch((error) => {
        refusal = error
      })
    }
    const refused = batch - 1
    expect(refusal).toBeInstanceOf(IndexUnavailable)
    expect((refusal as Error).message).toBe('The product index could not be written: database or disk is full')
    expect(await storedOf(refused - 1)).toBe(BATCH)
    expect(await storedOf(refused)).toBe(0)
    resize('remount,', 16_384)
    await writeBatch(refused)
    expect(await storedOf(refused)).toBe(BATCH)
  })
})
