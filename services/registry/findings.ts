import { type FieldError, Problem } from '../domain/errors.ts'
import { ERRORS_LISTED_MAX } from '../violations.ts'

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
    if (this.#errors.length === 0) return
    const detail = this.#errors
      .slice(0, 5)
      .map(({ path, message }) => `${path}: ${message}`)
      .join('; ')
    throw new Problem('INVALID', detail, { errors: this.#errors.slice(0, ERRORS_LISTED_MAX) })
  }
}
