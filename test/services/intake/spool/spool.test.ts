import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LogUnavailable, type NewRecord } from '../../../../infra/event-log/port.ts'
import { openSpoolRoom } from '../../../../services/intake/spool/room.ts'
import { openSpool, type Spool, type SpoolOptions } from '../../../../services/intake/spool/spool.ts'

let folder: string
let spool: Spool
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-'))
})
afterEach(async () => {
  await spool.close()
  rmSync(folder, { recursive: true })
})

const open = async (options: Partial<SpoolOptions> = {}) => {
  spool = await openSpool({ folder, ...options })
}
const reopen = async (options: Partial<SpoolOptions> = {}) => {
  await spool.close()
  await open(options)
}
const recordOf = (name: string, bytes = 10): NewRecord => ({
  topic: 'transactions',
  key: name,
  value: Buffer.alloc(bytes, 1),
})
const append = (...names: string[]) => spool.append(names.map((name) => recordOf(name)))
const segmentFiles = () => readdirSync(folder).filter((name) => name.endsWith('.spool'))

/** Drains the spool. `done`: whether each batch is recorded as drained. @returns the keys in order. */
async function drain({ done = true, batches = Number.POSITIVE_INFINITY } = {}): Promise<string[]> {
  const keys: string[] = []
  for (; batches > 0; batches--) {
    const batch = await spool.next()
    if (!batch) break
    keys.push(...batch.records.map(({ key }) => key!))
    if (!done) break
    await batch.done()
  }
  return keys
}

describe('the spool', () => {
  test('gives records back in order, and is empty then, on the disk too', async () => {
    await open()
    await append('a', 'b')
    await append('c')
    expect(spool.waiting()).toMatchObject({ records: 3 })
    expect(await drain()).toEqual(['a', 'b', 'c'])
    expect(spool.waiting()).toEqual({ records: 0, bytes: 0 })
    expect(segmentFiles()).toEqual([])
    await append('d')
    expect(await drain()).toEqual(['d'])
  })

  test('holds across a restart what was not drained, and no more', async () => {
    await open()
    await append('a', 'b')
    expect(await drain()).toEqual(['a', 'b'])
    await append('c')
    await reopen()
    await append('d')
    expect(spool.waiting().records).toBe(2)
    expect(await drain()).toEqual(['c', 'd'])
    await reopen()
    expect(await drain()).toEqual([])
  })

  test('is for one process at a time', async () => {
    await open()
    await expect(openSpool({ folder })).rejects.toThrow('is used by another process: give each one its own')
    await reopen()
  })

  test('gives a batch again until it is noted', async () => {
    await open()
    await append('a')
    expect(await drain({ done: false })).toEqual(['a'])
    expect(await drain({ done: false })).toEqual(['a'])
    await reopen()
    expect(await drain()).toEqual(['a'])
  })

  test('goes on in the middle of a segment after a restart', async () => {
    await open()
    const names = Array.from({ length: 40 }, (_, i) => `k${i}`)
    await spool.append(names.map((name) => recordOf(name, 100_000)))
    const first = await drain({ batches: 2 })
    expect(first.length).toBeLessThan(40)
    await reopen()
    expect(spool.waiting().records).toBe(40 - first.length)
    expect([...first, ...(await drain())]).toEqual(names)
  })

  test('spreads over segments, whose room is given back one by one', async () => {
    await open()
    const names = Array.from({ length: 80 }, (_, i) => `k${i}`)
    for (const name of names) await spool.append([recordOf(name, 500_000)])
    expect(segmentFiles().length).toBe(3)
    const first = await drain({ batches: 20 })
    expect(segmentFiles().length).toBe(2)
    await reopen()
    expect([...first, ...(await drain())]).toEqual(names)
  })

  test('takes appends at one time in the order they came, and while it is drained', async () => {
    await open()
    const names = Array.from({ length: 500 }, (_, i) => `k${i}`)
    const appends = names.map((name) => append(name))
    const drained: string[] = []
    while (drained.length < names.length)
      drained.push(...(await drain({ batches: 1 })), ...(await spool.settled().then(() => [])))
    await Promise.all(appends)
    expect(drained).toEqual(names)
    expect(spool.waiting()).toEqual({ records: 0, bytes: 0 })
  })

  test('is drained while appends never pause', async () => {
    await open()
    let running = true
    let sent = 0
    // Enough concurrent callers that one flush follows the other without an end.
    const clients = Array.from({ length: 50 }, async () => {
      while (running) await append(`k${sent++}`)
    })
    let drained = 0
    while (drained < 2_000) {
      drained += (await drain()).length
      await spool.settled()
    }
    running = false
    await Promise.all(clients)
    expect(drained + (await drain()).length).toBe(sent)
  })

  test('refuses what goes over its size, and takes records again once there is room', async () => {
    await open({ room: await openSpoolRoom({ folder, maxBytes: 100_000 }) })
    let taken = 0
    await expect(
      (async () => {
        for (; ; taken++) await spool.append([recordOf(`k${taken}`, 1_000)])
      })(),
    ).rejects.toBeInstanceOf(LogUnavailable)
    expect(taken).toBeGreaterThan(90)
    expect(await drain()).toHaveLength(taken)
    await append('more')
    expect(await drain()).toEqual(['more'])
  })
})

describe('a spool after a crash', () => {
  test('at any byte of the last write keeps every record before it, and takes new ones', async () => {
    await open()
    await append('a', 'b')
    const [file] = segmentFiles()
    const path = join(folder, file!)
    const sound = readFileSync(path).length
    await append('torn')
    await spool.close()
    const whole = join(folder, 'whole')
    copyFileSync(path, whole)
    const length = readFileSync(whole).length
    for (let end = sound; end < length; end++) {
      copyFileSync(whole, path)
      truncateSync(path, end)
      writeFileSync(join(folder, 'position'), '')
      const cuts: number[] = []
      await open({ onCut: ({ bytes }) => cuts.push(bytes) })
      expect(cuts).toEqual(end === sound ? [] : [end - sound])
      await append('c')
      expect(await drain()).toEqual(['a', 'b', 'c'])
      await spool.close()
    }
  })

  test('cuts off a tail of zeros or of noise', async () => {
    await open()
    await append('a')
    await spool.close()
    for (const tail of [Buffer.alloc(5_000), Buffer.from('noise'.repeat(50))]) {
      appendFileSync(join(folder, segmentFiles()[0]!), tail)
      await open()
      expect(spool.waiting().records).toBe(1)
      await spool.close()
    }
    await open()
    expect(await drain()).toEqual(['a'])
  })

  test('drains again when the note of what was drained is lost or torn', async () => {
    await open()
    const big = Array.from({ length: 20 }, (_, i) => recordOf(`k${i}`, 200_000))
    await spool.append(big)
    const first = await drain({ batches: 1 })
    for (const note of ['', 'short', 'x'.repeat(20), '\0'.repeat(20)]) {
      await spool.close()
      writeFileSync(join(folder, 'position'), note)
      await open()
      expect(spool.waiting().records).toBe(20)
      expect(await drain({ done: false })).toEqual(first)
    }
    expect(await drain()).toHaveLength(20)
  })

  test('sets a segment aside that the disk has changed, and goes on behind it', async () => {
    const damages: { path: string; records: number }[] = []
    await open({ onDamage: (damage) => damages.push(damage) })
    await append('a')
    const path = join(folder, segmentFiles()[0]!)
    const bytes = readFileSync(path)
    bytes[20]! ^= 1
    writeFileSync(path, bytes)
    expect(await drain()).toEqual([])
    expect(damages).toEqual([{ path: `${path}.damaged`, records: 1 }])
    await append('b')
    expect(await drain()).toEqual(['b'])
  })
})

describe('a full disk', () => {
  const SIZE_KIB = 256
  const isRoot = process.getuid?.() === 0
  beforeEach(() => {
    if (isRoot) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_KIB}k`, 'tmpfs', folder])
  })
  afterEach(async () => {
    await spool.close()
    if (isRoot) execFileSync('umount', [folder])
  })

  test('refuses records and keeps every one that it took, through restarts, and goes on when there is room', async () => {
    // Without the right to mount, the limit of the spool replaces that of the disk.
    const options = async () => (isRoot ? {} : { room: await openSpoolRoom({ folder, maxBytes: SIZE_KIB * 1024 }) })
    await open(await options())
    const kept: string[] = []
    let refused = 0
    for (let i = 0; refused < 20; i++) {
      const name = `k${i}`
      await spool.append([recordOf(name, 3_000)]).then(
        () => kept.push(name),
        (error) => {
          expect(error).toBeInstanceOf(LogUnavailable)
          refused += 1
        },
      )
      if (i % 30 === 29) await reopen(await options())
    }
    expect(kept.length).toBeGreaterThan(50)
    const first = await drain({ batches: 1 })
    await reopen(await options())
    const all = [...first, ...(await drain())]
    // Records that were refused may be there too, behind those that were accepted before.
    expect(all.filter((name) => kept.includes(name))).toEqual(kept)
    await append('again')
    expect(await drain()).toEqual(['again'])
  })
})
