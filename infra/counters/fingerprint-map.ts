import type { IdFingerprint } from './fingerprint.ts'
import { FingerprintIndex } from './fingerprint-index.ts'

/**
 * Values by fingerprint, of which none is undefined. A Map would need a number or a text for each key, and hash that once more.
 */
export class FingerprintMap<Value> {
  readonly #index = new FingerprintIndex()
  readonly #values: Value[] = []

  get size(): number {
    return this.#index.size
  }

  get({ low, high }: IdFingerprint): Value | undefined {
    const at = this.#index.find(low, high)
    return at < 0 ? undefined : this.#values[at]
  }

  set({ low, high }: IdFingerprint, value: Value): void {
    this.#values[this.#index.add(low, high)] = value
  }
}
