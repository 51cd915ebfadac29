import { inWords, labelOf } from '../messages/api-names.ts'
import { t } from '../messages/shell.ts'

/** One invalid field. `path` is a JSON pointer into the body (`/cpc`), or names a parameter (`querystring/from`). */
interface FieldError {
  path: string
  message: string
}

/** Who has changed an entity meanwhile. The name is null where the user may know only the role. */
export interface ChangedBy {
  role: 'OPERATOR' | 'PUBLISHER' | 'ADVERTISER'
  name: string | null
}

/** Nobody waits for longer than this for a service to be back. */
const BACK_SOON_MS = 10_000

interface ProblemParts {
  status: number
  code: string
  detail: string
  errors?: FieldError[]
  retryAfterMs?: number | null
  changedBy?: ChangedBy | null
}

/**
 * An error answer of the API (RFC 9457), or no answer at all (status 0, code NETWORK). Its message is for people: it shows the
 * labels of fields instead of their paths in the API.
 */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  /** A code of docs/errors.md, or NETWORK. */
  readonly code: string
  readonly errors: readonly FieldError[]
  /** When to retry; null when the answer does not say. */
  readonly retryAfterMs: number | null
  /** Of the answer that somebody else has changed the entity; null when it does not say. */
  readonly changedBy: ChangedBy | null

  constructor({ status, code, detail, errors = [], retryAfterMs = null, changedBy = null }: ProblemParts) {
    super(errors.length > 0 ? listed(errors) : inWords(detail))
    this.status = status
    this.code = code
    this.errors = errors
    this.retryAfterMs = retryAfterMs
    this.changedBy = changedBy
  }

  /** Whether a read that was answered with this may work soon. A report that took too long would take too long again. */
  get passesSoon(): boolean {
    return this.status === 503 && this.code !== 'REPORT_TOO_SLOW' && (this.retryAfterMs ?? 0) <= BACK_SOON_MS
  }

  /** For `form.setErrors`: messages by the path of the field in a Mantine form, such as `banners.0.textFields.1.value`. */
  fieldErrors(): Record<string, string> {
    const ofBody = this.errors.filter(({ path }) => path.startsWith('/'))
    return Object.fromEntries(ofBody.map(({ path, message }) => [fieldName(path), sentence(inWords(message))]))
  }

  /** The errors that belong to no field of a form; '' when there are none. @param names the first names of the form's paths. */
  beyond(names: readonly string[]): string {
    return listed(this.errors.filter(({ path }) => !(path.startsWith('/') && names.includes(path.split('/')[1]!))))
  }
}

/** The errors as sentences, with the labels of their fields. */
function listed(errors: readonly FieldError[]): string {
  const sentences = errors.map(({ path, message }) => {
    const label = labelOf(path)
    return label ? t('fieldRefused', { label, why: inWords(message) }) : t('partRefused', { why: inWords(message) })
  })
  return [...new Set(sentences)].join(' ')
}

/** Reads the problem from an answer with a status above 399. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isNaN(retryAfter) ? null : retryAfter * 1000
  const unknown = {
    code: `HTTP_${response.status}`,
    detail: t('serverError', { status: String(response.status) }),
  }
  const told = (await response.json().catch(() => unknown)) as object
  return new ApiProblem({ ...unknown, ...told, status: response.status, retryAfterMs })
}

export function noAnswer(cause: unknown): ApiProblem {
  const problem = new ApiProblem({ status: 0, code: 'NETWORK', detail: t('noConnection') })
  problem.cause = cause
  return problem
}

/** Whether the request got no answer because there is no connection to the server. */
export const isNoAnswer = (error: Error | null): boolean => error instanceof ApiProblem && error.code === 'NETWORK'

/** Whether somebody else has changed the entity since it was read. */
export const isChangedMeanwhile = (error: unknown): error is ApiProblem & { code: 'PRECONDITION_FAILED' } =>
  error instanceof ApiProblem && error.code === 'PRECONDITION_FAILED'

/** Turns a JSON pointer (RFC 6901) into the path of a form's field. */
function fieldName(pointer: string): string {
  const parts = pointer.slice(1).split('/')
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
}

const sentence = (message: string) => message.charAt(0).toUpperCase() + message.slice(1)
