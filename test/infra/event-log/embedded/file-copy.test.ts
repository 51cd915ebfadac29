import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DATABASE_FILE, WRITE_AHEAD_FILE } from '../../../../infra/event-log/embedded/database.ts'
import { packAppends, unpackRecords } from '../../../../infra/event-log/embedded/frame.ts'
import { openLogStore } from '../../../../infra/event-log/embedded/store.ts'
import { tries } from '../../../effort.ts'

const TOPIC = 'corrections'
const RECORD_BYTES = 3_000

describe('the files of a log that are copied while it is appended to', () => {
  let root: string
  let nextFolder = 0
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'log-copy-'))
  })
  afterAll(() => rm(root, { recursive: true }))

  const newFolder = () => {
    const folder = join(root, String(nextFolder++))
    mkdirSync(folder)
    return folder
  }
  const open = (folder: string) => openLogStore({ folder, now: () => 1 })

  async function append(store: ReturnType<typeof open>, from: number, count: number): Promise<void> {
    for (let number = from; number < from + count; number++) {
      const value = Buffer.alloc(RECORD_BYTES, `${number} `)
      const record = { topic: TOPIC, key: 'one', value } as const
      await store.connect().append(packAppends([record], value.length + 3))
    }
  }

  function numbersIn(store: ReturnType<typeof open>): number[] {
    const connection = store.connect()
    return connection
      .bounds(TOPIC)
      .flatMap(({ partition, start, end }) =>
        start === end
          ? []
          : unpackRecords(connection.read(TOPIC, partition, start, end - start), TOPIC, partition).map(({ value }) =>
              Number.parseInt(value!.toString(), 10),
            ),
      )
  }

  it('hold exactly what was appended before the moment of the copy, whatever comes between its steps', async () => {
    const some = fc.nat({ max: 40 })
    await fc.assert(
      fc.asyncProperty(some, some, some, some, async (before, during, between, after) => {
        const [folder, copied] = [newFolder(), newFolder()]
        const store = open(folder)
        const connection = store.connect()
        const counts = [before, during, between, after]
        const numberAt = (step: number) => counts.slice(0, step).reduce((sum, count) => sum + count, 0)
        await append(store, 0, before)
        connection.beginFileCopy()
        await append(store, numberAt(1), during)
        copyFileSync(join(folder, DATABASE_FILE), join(copied, DATABASE_FILE))
        await append(store, numberAt(2), between)
        const bytes = connection.takeFileCopy()
        await append(store, numberAt(3), after)
        const writeAhead = bytes === 0 ? Buffer.alloc(0) : readFileSync(join(folder, WRITE_AHEAD_FILE))
        writeFileSync(join(copied, WRITE_AHEAD_FILE), writeAhead.subarray(0, bytes))
        expect(connection.endFileCopy()).toBe(true)
        await append(store, numberAt(4), 1)
        await store.close()

        const copy = open(copied)
        expect(numbersIn(copy)).toEqual(Array.from({ length: numberAt(3) }, (_, number) => number))
        await copy.close()
        const original = open(folder)
        expect(numbersIn(original)).toHaveLength(numberAt(4) + 1)
        await original.close()
      }),
      { numRuns: tries(6, 60) },
    )
  })

  it('stay as they are while records are replaced, which waits until the copy has ended', async () => {
    const COUNT = 40
    const [folder, copied] = [newFolder(), newFolder()]
    const store = open(folder)
    const connection = store.connect()
    await append(store, 0, COUNT)
    const { partition } = connection.bounds(TOPIC).find(({ start, end }) => start < end)!
    connection.beginFileCopy()
    copyFileSync(join(folder, DATABASE_FILE), join(copied, DATABASE_FILE))
    await append(store, COUNT, COUNT)
    let isReplaced = false
    const replacing = connection
      .replace(TOPIC, partition, [{ offset: 0, key: 'one', value: Buffer.from('-1') }])
      .then(() => {
        isReplaced = true
      })
    // Committed after the replacement.
    await append(store, 2 * COUNT, 1)
    const bytes = connection.takeFileCopy()
    writeFileSync(join(copied, WRITE_AHEAD_FILE), readFileSync(join(folder, WRITE_AHEAD_FILE)).subarray(0, bytes))
    expect(isReplaced).toBe(false)
    expect(connection.endFileCopy()).toBe(true)
    await replacing
    expect(statSync(join(folder, WRITE_AHEAD_FILE)).size).toBe(0)
    await store.close()

    const copy = open(copied)
    expect(numbersIn(copy)).toEqual([-1, ...Array.from({ length: 2 * COUNT }, (_, number) => number + 1)])
    await copy.close()
  })

  it('are given up when a transaction was undone, because what it left is written over', async () => {
    const store = open(newFolder())
    const connection = store.connect()
    connection.beginFileCopy()
    await expect(connection.append(Buffer.from('no frame of appends'))).rejects.toThrow('could not be written')
    expect(connection.endFileCopy()).toBe(false)
    connection.beginFileCopy()
    expect(() => connection.beginFileCopy()).toThrow('copied already')
    expect(connection.endFileCopy()).toBe(true)
    await store.close()
  })
})
