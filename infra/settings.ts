import { isIP, isIPv6 } from 'node:net'
import { Ajv } from 'ajv'
import { type Static, type TObject, Type } from 'typebox'
import Format from 'typebox/format'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Kinds of settings, as schemas. `description` completes the sentence "KEY must be …". The value of a `writeOnly` setting may be a
 * secret and is never printed.
 */
export const Text = (fallback: string) => Type.String({ default: fallback })
export const OptionalText = () => Type.Optional(Type.String())
export const Secret = () => Type.Optional(Type.String({ writeOnly: true }))
/** A text that people type: the spaces around it belong to it. */
export const Password = () => Type.Optional(Type.String({ writeOnly: true, isTyped: true }))
export const Flag = (fallback: boolean) => Type.Boolean({ default: fallback, description: 'one of true, false' })

export const Integer = (minimum: number, maximum: number, fallback?: number) =>
  Type.Integer({
    minimum,
    maximum,
    default: fallback,
    description: `a whole number from ${minimum} to ${maximum}`,
  })

export const OneOf = <T extends string>(values: readonly [T, ...T[]], fallback: T) =>
  Type.Enum([...values] as [T, ...T[]], { default: fallback, description: `one of ${values.join(', ')}` })

/** Parts separated by commas, which `listOf` reads. A list with a fallback must have at least one part. */
export const List = (fallback: string, description: string, acceptsPart: (part: string) => boolean) =>
  Type.String({
    default: fallback,
    description,
    accepts(text: string) {
      const parts = listOf(text)
      return parts.every(acceptsPart) && (parts.length > 0 || fallback === '')
    },
  })

/** An address with one of the schemes. It may contain a password. */
export const Address = (...schemes: readonly string[]) =>
  Type.Optional(
    Type.String({
      writeOnly: true,
      description: `an address that begins with ${schemes.map((each) => `${each}://`).join(' or ')}`,
      accepts: (text: string) => hasScheme(text, schemes),
    }),
  )

/** An address that browsers are given, with paths appended to it. */
export const PublicAddress = () =>
  AddressOf('an address that begins with http:// or https://, without a user, a query and a fragment', (text) => {
    const { username, search, hash } = URL.parse(text) ?? {}
    return hasScheme(text, ['http', 'https']) && !username && !search && !hash
  })

const DELIMITERS = /[:/?#@[\]\\]/

/** A host to listen on. */
export const Host = (fallback: string) =>
  Type.String({
    default: fallback,
    description: 'a host name or an address, without a scheme and a port',
    accepts: (text: string) => isIP(text) !== 0 || (!DELIMITERS.test(text) && URL.canParse(`http://${text}`)),
  })

/** The address of what listens on a host. An address of IPv6 may name an interface (`fe80::1%eth0`), which no URL can. */
export const httpAddress = (host: string, port: number) =>
  `http://${isIPv6(host) ? `[${host.split('%', 1)[0]}]` : host}:${port}`

/** Addresses of equivalent servers, separated by commas. They may contain passwords. */
export const Addresses = (...schemes: readonly string[]) =>
  AddressOf(
    `a list of addresses that begin with ${schemes.map((each) => `${each}://`).join(' or ')}, separated by commas`,
    (text) => {
      const addresses = listOf(text)
      return addresses.length > 0 && addresses.every((each) => hasScheme(each, schemes))
    },
  )

const hasScheme = (address: string, schemes: readonly string[]) =>
  schemes.includes(URL.parse(address)?.protocol.slice(0, -1) ?? '')

/** An address of another form, which `description` names. It may contain a password. */
export const AddressOf = (description: string, accepts: (text: string) => boolean) =>
  Type.Optional(Type.String({ writeOnly: true, description, accepts }))

export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

const NAME_AND_NUMBER = /^([a-z-]+):(\d{1,9})$/

/** The entries of a list of `name:number`. @param form what `problems` calls one. */
export function numbersByName(
  setting: string,
  text: string,
  form: string,
  problems: string[],
): { name: string; number: number }[] {
  return listOf(text).flatMap((entry) => {
    const [, name, number] = NAME_AND_NUMBER.exec(entry) ?? []
    if (name !== undefined) return [{ name, number: Number(number) }]
    problems.push(`${setting} must be a list of ${form}, separated by commas, not ${JSON.stringify(entry)}`)
    return []
  })
}

/**
 * Reads the settings that a schema names, without the space around them; one that is blank counts as not set.
 * @param problems gets a sentence for each setting that cannot be used. Its default, or nothing, takes its place, so that
 * rules over several settings can still be checked.
 */
export function readSettings<S extends TObject>(schema: S, env: Environment, problems: string[]): Static<S> {
  const keys = Object.keys(schema.properties)
  const set = keys.filter((key) => env[key]?.trim())
  const given = Object.fromEntries(set.map((key) => [key, textOf(env[key]!, schema.properties[key]!)]))
  const check = ajv.compile<Static<S>>(schema)
  // The check converts the values, and fills in the defaults of those that are missing.
  const settings: Record<string, unknown> = { ...given }
  if (check(settings)) return settings
  for (const key of new Set(check.errors!.map(({ instancePath }) => instancePath.slice(1)))) {
    const { description, writeOnly } = schema.properties[key] as { description?: string; writeOnly?: boolean }
    problems.push(`${key} must be ${description}${writeOnly ? '' : `, not ${JSON.stringify(env[key])}`}`)
    delete given[key]
  }
  if (check(given)) return given
  throw new Error(ajv.errorsText(check.errors))
}

/** Nobody types the line break with which a file ends. */
const textOf = (value: string, { isTyped }: { isTyped?: boolean }): string =>
  isTyped ? value.replace(/\r?\n$/, '') : value.trim()

/** The schemas are our own, so they are not validated: that would take longer than everything else here. */
const ajv = new Ajv({ allErrors: true, useDefaults: true, coerceTypes: true, meta: false, validateSchema: false })
// As requests are checked.
ajv.addFormat('email', Format.IsEmail)
ajv.addKeyword('isTyped')
ajv.addKeyword({
  keyword: 'accepts',
  validate: (accepts: (text: string) => boolean, text: string) => accepts(text),
})
