import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { NONCE_PLACEHOLDER } from './nonce.ts'

const DIST = join(import.meta.dirname, 'dist')
const COMPRESSIBLE = /\.(js|css|svg)$/

/** Builds `web/` into `dist/`, which services/panel/app.ts serves under /panel/. */
export default defineConfig({
  root: join(import.meta.dirname, 'web'),
  base: '/panel/',
  plugins: [react(), compressed()],
  html: { cspNonce: NONCE_PLACEHOLDER },
  build: {
    outDir: DIST,
    emptyOutDir: true,
    // A file in the page would need another source in the Content-Security-Policy.
    assetsInlineLimit: 0,
    // One file of styles, loaded with the page: nothing that is loaded later can be shown without them.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 600,
  },
})

/** Writes each file once more as .br and .gz, so that the server need not compress. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    closeBundle() {
      const folder = join(DIST, 'assets')
      for (const name of readdirSync(folder).filter((each) => COMPRESSIBLE.test(each))) {
        const bytes = readFileSync(join(folder, name))
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes))
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}
