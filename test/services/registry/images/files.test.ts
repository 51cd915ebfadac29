import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../../infra/event-log/port.ts'
import { encode } from '../../../../schemas/wire/codec.ts'
import { openImageFiles } from '../../../../services/registry/images/files.ts'

describe('the files of images', () => {
  let root: string
  let folder: string
  let log: EventLog
  /** The number of reads of the log. A second start needs none. */
  let reads: number
  const open = (expected: string[] = []) => {
    const read: EventLog['read'] = (...args) => {
      reads += 1
      return log.read(...args)
    }
    return openImageFiles({ log: { bounds: log.bounds, read }, folder, expected })
  }
  const put = (id: string, content = id) =>
    log.append([
      {
        topic: 'images',
        key: id,
        value: encode('Image', { id, mediaType: 'PNG', width: 1, height: 1, bytes: Buffer.from(content) }),
      },
    ])

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'endcap-images-'))
    folder = join(root, 'images')
    log = await openEmbeddedEventLog({ folder: root })
    reads = 0
  })
  afterEach(async () => {
    await log.close()
    await rm(root, { recursive: true, force: true })
  })

  it('hold what the log held at the start, and what came since when they catch up', async () => {
    for (let i = 0; i < 20; i++) await put(`old-${i}`)
    const files = await open()
    expect(await text((await files.read('old-19'))!)).toBe('old-19')
    expect(await files.read('new')).toBeNull()
    await put('new')
    await files.catchUp()
    expect(await text((await files.read('new'))!)).toBe('new')
  })

  it('are not read again by the next start', async () => {
    await put('a')
    await open()
    expect(reads).toBe(1)
    await open(['a'])
    expect(reads).toBe(1)
    await put('b')
    const files = await open(['a', 'b'])
    expect(reads).toBe(2)
    expect(await text((await files.read('b'))!)).toBe('b')
  })

  it('come back when they were lost, and unfinished ones go', async () => {
    await put('a')
    await put('b')
    await open()
    await rm(join(folder, 'a'))
    await writeFile(join(folder, 'c.part'), 'half of')
    const files = await open(['a', 'b'])
    expect(await text((await files.read('a'))!)).toBe('a')
    expect((await readdir(folder)).toSorted()).toEqual(['a', 'b', 'position'])
    await rm(folder, { recursive: true })
    expect(await text((await (await open(['a', 'b'])).read('b'))!)).toBe('b')
  })

  it('come back while they are served, all at once', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `lost-${i}`)
    for (const id of ids) await put(id)
    const files = await open()
    const readsOfAll = reads
    await rm(join(folder, 'lost-0'))
    expect(await files.read('lost-0')).toBeNull()
    await expect.poll(() => files.read('lost-0')).not.toBeNull()
    expect(await text((await files.read('lost-0'))!)).toBe('lost-0')
    expect(reads).toBe(2 * readsOfAll)
    await rm(folder, { recursive: true })
    const found = await Promise.all(ids.map(files.read))
    // The first that misses its file has all of them written again, perhaps before the last looks for its own.
    expect(found).toContain(null)
    for (const stream of found) stream?.destroy()
    await expect.poll(() => files.read('lost-19')).not.toBeNull()
    for (const id of ids) expect(await text((await files.read(id))!)).toBe(id)
    expect(reads).toBe(3 * readsOfAll)
    expect(await files.read('unknown')).toBeNull()
    expect(reads).toBe(3 * readsOfAll)
  })

  it('come back once the log can be read again', async () => {
    await put('a')
    let isAway = false
    const read: EventLog['read'] = async (...args) => {
      if (isAway) throw new Error('away')
      return log.read(...args)
    }
    const files = await openImageFiles({ log: { bounds: log.bounds, read }, folder, expected: [] })
    await rm(join(folder, 'a'))
    isAway = true
    expect(await files.read('a')).toBeNull()
    await expect(files.catchUp()).rejects.toThrow('away')
    isAway = false
    await expect.poll(() => files.read('a')).not.toBeNull()
  })

  it('start over when the log is another one', async () => {
    await put('a')
    await open()
    await writeFile(join(folder, 'position'), '1000')
    await put('b')
    expect(await text((await (await open(['a'])).read('b'))!)).toBe('b')
    expect(await readFile(join(folder, 'position'), 'utf8')).not.toBe('1000')
  })

  it('hold images of the greatest size, with few of them in memory', async () => {
    const content = randomBytes(450_000).toString('hex')
    for (let i = 0; i < 20; i++) await put(`large-${i}`, content)
    const files = await open()
    expect(reads).toBeGreaterThan(1)
    expect(await text((await files.read('large-19'))!)).toBe(content)
  })
})
