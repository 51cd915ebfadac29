import { type ChildProcess, spawn } from 'node:child_process'
import type { EventLog, LogRecord } from '../../../infra/event-log/port.ts'
import type { TopicName } from '../../../schemas/topics.ts'

/** A process of `member.child.ts`. */
export interface Member {
  process: ChildProcess
  /** The lines that it has printed. */
  lines: string[]
  /** The lines that it has printed to its error output. */
  errors: string[]
}

/** Starts a member of the group `copier`, which copies `ad-events` to `judged-events`. */
export function startCopier(options: {
  brokers: readonly string[]
  namespace: string
  sessionTimeoutMs: number
  /** The time that it spends on each batch. */
  workMs: number
}): Member {
  const { brokers, namespace, sessionTimeoutMs, workMs } = options
  const child = new URL('./member.child.ts', import.meta.url).pathname
  const args = [child, brokers.join(','), namespace, String(sessionTimeoutMs), String(workMs)]
  const process = spawn('node', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const member: Member = { process, lines: [], errors: [] }
  process.stdout!.setEncoding('utf8').on('data', (text: string) => member.lines.push(...text.trim().split('\n')))
  process.stderr!.setEncoding('utf8').on('data', (text: string) => member.errors.push(text))
  return member
}

/** All records of a topic, in order per partition. */
export async function readAll(log: EventLog, topic: TopicName): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  for (const { partition, start, end } of await log.bounds(topic)) {
    for (let from = start; from < end; from = records.at(-1)!.offset + 1) {
      const some = await log.read(topic, partition, from, 1_000)
      if (some.length === 0) break
      records.push(...some)
    }
  }
  return records
}
