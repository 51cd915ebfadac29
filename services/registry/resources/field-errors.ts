import type { FieldError } from '../../domain/errors.ts'
import { invalid } from '../../http/violations.ts'

/** Collects what is wrong with a request, so that its sender learns of every fault at once. */
export class FieldErrors {
  readonly #errors: FieldError[] = []

  /** @param path JSON pointer into the body: `/products/rule`. */
  add(path: string, message: string): void {
    this.#errors.push({ path, message })
  }

  /** Adds the error unless `holds`. */
  check(holds: boolean, path: string, message: string): void {
    if (!holds) this.add(path, message)
  }

  /** @throws Problem INVALID when there are any errors. */
  throwIfAny(): void {
    if (this.#errors.length > 0) throw invalid(this.#errors)
  }
}
