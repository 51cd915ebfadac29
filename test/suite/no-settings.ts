import { settings } from '../../infra/config.ts'

/**
 * Vitest calls this before a suite on the embedded engines. Programs that tests start inherit the environment, which may contain
 * settings from the shell, such as the address of a Redis that belongs to other work.
 */
export default function removeSettings(): void {
  for (const name of Object.keys(settings)) delete process.env[name]
}
