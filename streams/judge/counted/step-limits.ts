import type { Limit, Step } from '../step.ts'
import type { Counter } from './counter-table.ts'
import type { Window } from './windows.ts'

/** Collects the limits of one step after the other. */
export class StepLimits {
  readonly #limits: Limit[] = []
  readonly #places: number[] = []
  #size = 0

  add(limit: Limit, place: Window | Counter): void {
    this.#limits[this.#size] = limit
    this.#places[this.#size++] = place
  }

  /** The limits that were added since the last call. */
  take(): Pick<Step, 'limits' | 'places'> {
    const size = this.#size
    this.#size = 0
    return { limits: this.#limits.slice(0, size), places: this.#places.slice(0, size) }
  }
}
