import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { IntlMessageFormat } from 'intl-messageformat'
import { defineConfig, type Plugin, parseSync, Visitor } from 'vite'
import { compressed, formerBuildKept } from './built-files.ts'
import { NONCE_PLACEHOLDER } from './nonce.ts'

const DIST = join(import.meta.dirname, 'dist')
/** Files with the panel's texts. */
const CATALOGUE = /\/web\/messages\/.*\.ts$/

/** Builds `web/` into `dist/`, which services/panel/app.ts serves under /panel/. */
export default defineConfig({
  root: join(import.meta.dirname, 'web'),
  base: '/panel/',
  plugins: [react(), parsedMessages(), formerBuildKept(), compressed()],
  resolve: { alias: { '@formatjs/icu-messageformat-parser': '@formatjs/icu-messageformat-parser/no-parser.js' } },
  html: { cspNonce: NONCE_PLACEHOLDER },
  build: {
    outDir: DIST,
    manifest: true,
    emptyOutDir: false,
    // Inlined files would need another source in the Content-Security-Policy.
    assetsInlineLimit: 0,
    // One file of styles, loaded with the page, so that no part that is loaded later appears without its styles.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 800,
    // Code that every page needs goes into one file. It compresses better than one file per set of pages that share a part.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'every-page', tags: ['$initial'] }] } } },
  },
})

/** Parses messages with arguments or tags at build time, so that the browser need not load the parser. */
function parsedMessages(): Plugin {
  return {
    name: 'parsed-messages',
    transform: {
      filter: { id: CATALOGUE },
      handler(code, id) {
        const found: { start: number; end: number; value: string }[] = []
        const visitor = new Visitor({
          Property({ value }) {
            if (value.type === 'Literal' && typeof value.value === 'string' && /[{<']/.test(value.value)) {
              found.push({ start: value.start, end: value.end, value: value.value })
            }
          },
        })
        visitor.visit(parseSync(id, code, { lang: 'ts' }).program)
        const parsed = found.reduceRight(
          (text, { start, end, value }) =>
            text.slice(0, start) + JSON.stringify(new IntlMessageFormat(value, 'en').getAst()) + text.slice(end),
          code,
        )
        return { code: parsed, map: null }
      },
    },
  }
}
