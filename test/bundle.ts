import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { BUNDLE_FOLDER, bundled, bundleProgram } from '../infra/bundle.ts'

/** Set once make or a suite has bundled the program for all of the suite's processes. */
const IS_BUNDLED = 'TEST_PROGRAM_IS_BUNDLED'

let bundling: Promise<unknown> | undefined

/**
 * The file of the program as it ships, for `services/main.ts` or another source. A process outside a suite, such as a benchmark,
 * bundles it itself.
 */
export async function bundledProgram(source: string): Promise<string> {
  bundling ??= process.env[IS_BUNDLED] ? Promise.resolve() : bundleProgram()
  await bundling
  return join(BUNDLE_FOLDER, bundled(source))
}

/** Vitest calls this before a suite. A suite that watches the sources bundles them again before each further run. */
export default async function bundleForSuite(project: TestProject): Promise<void> {
  if (process.env[IS_BUNDLED]) return
  project.onTestsRerun(async () => void (await bundleProgram()))
  await bundleProgram()
  process.env[IS_BUNDLED] = 'yes'
}
