import { settings } from '../../infra/config.ts'

/**
 * Vitest calls it before a suite on the embedded engines. The programs that tests start inherit the environment, in which a shell may
 * have settings of the same names, such as the address of a Redis that belongs to other work.
 */
export default function removeSettings(): void {
  for (const name of Object.keys(settings)) delete process.env[name]
}
