import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

/** Where `build.ts` leaves the browser code. */
export const BUILT_FOLDER = join(import.meta.dirname, 'dist')

export interface BuiltScripts {
  /** JavaScript that takes `endcapSlot` from the scope that it is put in. */
  loader: string
  library: Record<Encoding, Buffer>
  etag: string
}
export type Encoding = 'identity' | 'gzip' | 'br'

/** Null when the script has not been built. */
export async function readBuilt(folder: string): Promise<BuiltScripts | null> {
  try {
    const [loader, identity] = await Promise.all([
      readFile(join(folder, 'loader.js'), 'utf8'),
      readFile(join(folder, 'script.js')),
    ])
    const [zipped, br] = await Promise.all([
      promisify(gzip)(identity, { level: 9 }),
      promisify(brotliCompress)(identity),
    ])
    const etag = createHash('sha256').update(identity).digest('base64url').slice(0, 16)
    return { loader, library: { identity, gzip: zipped, br }, etag }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
