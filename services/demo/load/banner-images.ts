import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const OUTPUT_MAX_BYTES = 64 * 1024 * 1024
const TIMEOUT_MS = 60_000

/**
 * The banners' images by `campaign-format`, drawn in a process of their own: the program switches all image readers off
 * in its process but those of uploads, and they are drawn from SVG.
 */
export async function bannerImages(): Promise<ReadonlyMap<string, Buffer>> {
  const child = fileURLToPath(new URL('./banner-art.child.ts', import.meta.url))
  const options = { maxBuffer: OUTPUT_MAX_BYTES, timeout: TIMEOUT_MS }
  const { stdout } = await promisify(execFile)(process.execPath, [child], options)
  const images = Object.entries(JSON.parse(stdout) as Record<string, string>)
  return new Map(images.map(([name, base64]) => [name, Buffer.from(base64, 'base64')]))
}
