import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Manifest, Plugin } from 'vite'

/** Vite names the files of a build here. */
const MANIFEST = '.vite/manifest.json'
const ASSETS = 'assets'
const COMPRESSIBLE = /\.(js|css|svg)$/
const COMPRESSED = /\.(br|gz)$/

/**
 * Keeps the files of the build before this one, which open pages still load, and removes those of earlier ones. To be used with
 * `emptyOutDir: false`.
 */
export function formerBuildKept(): Plugin {
  let folder: string
  let former: ReadonlySet<string>
  return {
    name: 'former-build-kept',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir)
      former = filesNamedIn(folder)
    },
    closeBundle() {
      const made = filesNamedIn(folder)
      // When nothing has changed, pages of the build before that one may still be open.
      if (former.size === made.size && former.isSubsetOf(made)) return
      const kept = former.union(made)
      for (const name of readdirSync(join(folder, ASSETS))) {
        if (!kept.has(`${ASSETS}/${name.replace(COMPRESSED, '')}`)) rmSync(join(folder, ASSETS, name))
      }
    },
  }
}

function filesNamedIn(folder: string): ReadonlySet<string> {
  const path = join(folder, MANIFEST)
  if (!existsSync(path)) return new Set()
  const manifest: Manifest = JSON.parse(readFileSync(path, 'utf8'))
  return new Set(Object.values(manifest).flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets]))
}

/** Also writes each file as .br and .gz, so that the server need not compress. */
export function compressed(): Plugin {
  let folder: string
  return {
    name: 'compressed',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir, ASSETS)
    },
    closeBundle() {
      for (const name of readdirSync(folder).filter((each) => COMPRESSIBLE.test(each))) {
        const bytes = readFileSync(join(folder, name))
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes))
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}
