import fs from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { openFeedFiles } from '../../../../../services/registry/feeds/source/files.ts'

it('an upload that is refused while its file is being opened leaves none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-feed-files-'))
  const files = await openFeedFiles(folder, 10)
  const { open } = fs
  const opened = Promise.withResolvers<void>()
  vi.spyOn(fs, 'open').mockImplementation(((...given: Parameters<typeof open>) => {
    setTimeout(() => {
      open(...given)
      opened.resolve()
    }, 50)
  }) as typeof open)
  try {
    const upload = Readable.from([Buffer.alloc(100)])
    await expect(files.receive('run', upload, () => {})).rejects.toMatchObject({ code: 'TOO_LARGE' })
    await opened.promise
    expect(await readdir(folder)).toEqual([])
  } finally {
    vi.restoreAllMocks()
    await rm(folder, { recursive: true })
  }
})
