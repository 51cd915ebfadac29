import { BlockList, isIP } from 'node:net'
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../../schemas/http/panel/accounts/users.ts'
import { DEMO_PASSWORD } from './load/accounts.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether only this machine can reach what listens on `host`. */
export function isLoopback(host: string): boolean {
  const version = isIP(host)
  return version === 0 ? host === 'localhost' : loopback.check(host, version === 4 ? 'ipv4' : 'ipv6')
}

/** What is wrong with a chosen password; null: nothing. */
export function passwordProblem(chosen: string): string | null {
  if (chosen.length >= PASSWORD_CHARS_MIN && chosen.length <= PASSWORD_CHARS_MAX) return null
  return `DEMO_PASSWORD must have ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`
}

/**
 * Everybody knows the published password, an operator's among them: why users who have it, or would get it, must not be
 * reached from another machine. Null: they are not.
 */
export function reachProblem(
  host: string,
  { password, loaded }: { password: string; loaded: 'NO' | 'PUBLISHED' | 'OWN' },
): string | null {
  if (isLoopback(host)) return null
  if (loaded === 'PUBLISHED') {
    return `The demo in this data folder was loaded with the published password, so it listens on this machine only, not on ${host}. Set DEMO_PASSWORD to a password of your own and DATA_DIR to an empty folder.`
  }
  if (loaded === 'NO' && password === DEMO_PASSWORD) {
    return `The demo's users would have the published password, so it listens on this machine only, not on ${host}. Set DEMO_PASSWORD to a password of your own, or HTTP_HOST to 127.0.0.1.`
  }
  return null
}
