import { open, readFile } from 'node:fs/promises'
import { FeedFailure } from '../failure.ts'

/** An offer as the index knows it. */
export interface Stored {
  id: string
  digest: string
}

/** Keeps what a run would remove, one JSON pair a line, durable before the run is told to be held. */
export async function writeHeld(path: string, offers: readonly Stored[]): Promise<void> {
  const file = await open(path, 'w')
  try {
    await file.writeFile(offers.map(({ id, digest }) => `${JSON.stringify([id, digest])}\n`).join(''))
    await file.sync()
  } finally {
    await file.close()
  }
}

/** @throws FeedFailure when the list is gone, as after a move to another machine. */
export async function readHeld(path: string): Promise<Stored[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new FeedFailure('The list of what to remove is gone: run the feed again')
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [id, digest] = JSON.parse(line) as [string, string]
      return { id, digest }
    })
}
