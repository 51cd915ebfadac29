import type { Appender, NewRecord } from '../../../../infra/event-log/port.ts'

const BATCH_RECORDS = 500
const BATCH_BYTES = 2 * 1024 * 1024

/**
 * Appends records in batches: one batch is in flight while the next one fills, so that parsing does not wait for the disk. A
 * failed append is thrown by the next call.
 */
export class BatchedOutput {
  readonly #log: Appender
  #batch: NewRecord[] = []
  #bytes = 0
  #underWay: Promise<unknown> = Promise.resolve()

  constructor(log: Appender) {
    this.#log = log
  }

  add(record: NewRecord): void {
    this.#batch.push(record)
    this.#bytes += record.value?.length ?? 0
  }

  /** Sends the added records if they fill a batch. Resolves when more may be added. */
  async advance(): Promise<void> {
    if (this.#batch.length >= BATCH_RECORDS || this.#bytes >= BATCH_BYTES) await this.#send()
  }

  /** Resolves once everything added is durable. */
  async flush(): Promise<void> {
    await this.#send()
    await this.#underWay
  }

  async #send(): Promise<void> {
    await this.#underWay
    if (this.#batch.length === 0) return
    this.#underWay = this.#log.append(this.#batch)
    // The promise is awaited at the next batch. Until then, a rejection must not count as unhandled.
    this.#underWay.catch(() => {})
    this.#batch = []
    this.#bytes = 0
  }
}
