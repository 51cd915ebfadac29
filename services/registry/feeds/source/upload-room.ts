import { Problem } from '../../../domain/errors.ts'
import { type Limits, limitSettings } from '../../../domain/limits.ts'

const MIB = 1024 ** 2
const RETRY_AFTER_SECONDS = 60

/** The file of a run. */
interface Upload {
  runId: string
  shopId: string
}

/** Limits the room on disk of uploads whose runs have not ended: of those of each shop, and of all together. */
export class UploadRoom {
  readonly #limits: Pick<Limits, 'feedUploadsMib' | 'shopFeedUploadsMib'>
  /** By run. */
  readonly #uploads = new Map<string, { shopId: string; bytes: number }>()
  readonly #bytesOfShop = new Map<string, number>()
  #bytes = 0

  constructor(limits: Pick<Limits, 'feedUploadsMib' | 'shopFeedUploadsMib'>) {
    this.#limits = limits
  }

  /** Takes room for the next bytes of an upload. @throws Problem RATE_LIMITED, UNAVAILABLE, naming the limit. */
  take(upload: Upload, bytes: number): void {
    const { feedUploadsMib, shopFeedUploadsMib } = this.#limits
    if (this.#ofShop(upload.shopId) + bytes > shopFeedUploadsMib * MIB)
      throw full('RATE_LIMITED', 'shopFeedUploadsMib', shopFeedUploadsMib)
    if (this.#bytes + bytes > feedUploadsMib * MIB) throw full('UNAVAILABLE', 'feedUploadsMib', feedUploadsMib)
    const before = this.#uploads.get(upload.runId)?.bytes ?? 0
    this.note(upload, before + bytes)
  }

  /** Notes the size of an upload, which is on disk already. */
  note({ runId, shopId }: Upload, bytes: number): void {
    this.free(runId)
    this.#uploads.set(runId, { shopId, bytes })
    this.#change(shopId, bytes)
  }

  /** Gives back the room of a run, if it has any. */
  free(runId: string): void {
    const upload = this.#uploads.get(runId)
    if (!upload) return
    this.#uploads.delete(runId)
    this.#change(upload.shopId, -upload.bytes)
  }

  #ofShop(shopId: string): number {
    return this.#bytesOfShop.get(shopId) ?? 0
  }

  #change(shopId: string, by: number): void {
    this.#bytes += by
    const bytes = this.#ofShop(shopId) + by
    if (bytes > 0) this.#bytesOfShop.set(shopId, bytes)
    else this.#bytesOfShop.delete(shopId)
  }
}

const WHOSE = { shopFeedUploadsMib: 'Files of this shop', feedUploadsMib: 'Files of all shops' }

const full = (code: 'RATE_LIMITED' | 'UNAVAILABLE', limit: keyof typeof WHOSE, mib: number) =>
  new Problem(code, `${WHOSE[limit]} that wait to be read may take ${mib} MiB (${limitSettings[limit].setting})`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
