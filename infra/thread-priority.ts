import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

const NICE = 10

/** Lets other threads of this process go first (Linux; elsewhere nothing happens). Call it in the thread it is for. */
export function yieldThisThread(): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), NICE)
  } catch {
    // Another system, or not permitted: the thread runs with the others.
  }
}
