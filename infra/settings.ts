export type Environment = Readonly<Record<string, string | undefined>>

/** Reads settings one by one; what cannot be used becomes a problem that names the key, and the fallback stands in. */
export interface Settings {
  readonly problems: string[]
  text(key: string, fallback: string): string
  optional(key: string): string | null
  integer(key: string, fallback: number, min: number, max: number): number
  oneOf<T extends string>(key: string, fallback: T, allowed: readonly T[]): T
  flag(key: string, fallback: boolean): boolean
  /** Parts between commas, without the space around them. */
  list(key: string, fallback: string): string[]
  /** An address of one of the schemes. Its value may hold a password and is never repeated. */
  address(key: string, schemes: readonly string[]): string | null
}

export function readSettings(env: Environment): Settings {
  const problems: string[] = []
  const optional = (key: string) => env[key]?.trim() || null
  const text = (key: string, fallback: string) => optional(key) ?? fallback
  const fail = (key: string, expected: string) => {
    problems.push(`${key} must be ${expected}, not ${JSON.stringify(env[key])}`)
  }

  function oneOf<T extends string>(key: string, fallback: T, allowed: readonly T[]): T {
    const value = text(key, fallback) as T
    if (allowed.includes(value)) return value
    fail(key, `one of ${allowed.join(', ')}`)
    return fallback
  }

  return {
    problems,
    text,
    optional,
    integer(key, fallback, min, max) {
      const value = Number(text(key, String(fallback)))
      if (Number.isInteger(value) && value >= min && value <= max) return value
      fail(key, `a whole number from ${min} to ${max}`)
      return fallback
    },
    oneOf,
    flag: (key, fallback) => oneOf(key, fallback ? 'true' : 'false', ['true', 'false']) === 'true',
    list: (key, fallback) =>
      text(key, fallback)
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    address(key, schemes) {
      const value = optional(key)
      if (value === null) return null
      const scheme = URL.parse(value)?.protocol.slice(0, -1)
      if (scheme && schemes.includes(scheme)) return value
      problems.push(`${key} must be an address that begins with ${schemes.map((each) => `${each}://`).join(' or ')}`)
      return null
    },
  }
}
