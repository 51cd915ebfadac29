import type { FieldError } from '../../domain/errors.ts'
import { invalid } from '../../http/violations.ts'

/** Collects what is wrong with a request, so that its sender learns all of it at once. */
export class Findings {
  readonly #errors: FieldError[] = []

  /** @param path JSON pointer into the body: `/products/rule`. */
  add(path: string, message: string): void {
    this.#errors.push({ path, message })
  }

  /** Adds the finding unless `holds`. */
  check(holds: boolean, path: string, message: string): void {
    if (!holds) this.add(path, message)
  }

  /** @throws Problem INVALID when anything was found. */
  raise(): void {
    if (this.#errors.length > 0) throw invalid(this.#errors)
  }
}
