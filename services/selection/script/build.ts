import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin, transform } from 'esbuild'

const WEB_FOLDER = join(import.meta.dirname, 'web')
/** Each has what the code uses: constructable style sheets, AbortSignal.timeout. */
const BROWSERS = ['chrome103', 'edge103', 'firefox101', 'safari16.4']

/** A style sheet is imported as its minified text. */
const styleText: Plugin = {
  name: 'style-text',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true, target: BROWSERS })
      return { contents: code.trim(), loader: 'text' }
    })
  },
}

/** Bundles the browser code of the emission script into `folder`: loader.js and script.js, whole and minified. */
export async function buildScripts(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await build({
    entryPoints: [join(WEB_FOLDER, 'loader.ts'), join(WEB_FOLDER, 'script.ts')],
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'iife',
    target: BROWSERS,
    charset: 'utf8',
    legalComments: 'none',
    plugins: [styleText],
    tsconfigRaw: {},
    logLevel: 'warning',
  })
}

if (import.meta.main) await buildScripts(join(import.meta.dirname, 'dist'))
