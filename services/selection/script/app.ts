import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Content } from '../../../schemas/http/content.ts'
import { FormattedParams, FormattedQuery, type FormattedSlot } from '../../../schemas/http/formatted.ts'
import { Problem } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { resolveSlots, type Slot } from '../slots.ts'
import { sponsoredSlotRules } from '../sponsored/sponsored-ads.ts'
import { type BuiltScripts, type Encoding, readBuilt } from './built.ts'
import { atSources, readSlot } from './read-slot.ts'

/** Answers are the same for everybody. Old ones keep working, so a browser may use one while it fetches a newer one. */
const CACHE_CONTROL = 'public, max-age=3600, stale-while-revalidate=604800'
const RETRY_AFTER_SECONDS = 60
const SCRIPT = Content('The script', 'text/javascript')

export interface FormattedDeps {
  snapshot: Snapshot
  /** The folder that `build.ts` writes to. */
  folder: string
}

/**
 * The emission script in two parts: the answer to each script element, which holds only the slot that it asks for, and the
 * library, which renders and is the same for all.
 */
export function formattedApp({ snapshot, folder }: FormattedDeps): FastifyPluginAsyncTypebox {
  return async (server) => {
    let known: BuiltScripts | null = null
    const built = async () => {
      known ??= await readBuilt(folder)
      if (known) return known
      const detail = 'The emission script has not been built: run `make build`'
      throw new Problem('UNAVAILABLE', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS })
    }

    server.get(
      '/v1/dsa/formatted/:slotHash/:elementId/:row/:col',
      {
        // `readSlot` checks the parameters.
        validatorCompiler: () => () => true,
        schema: {
          operationId: 'getEmissionScript',
          summary: 'Read a script that shows row x col sponsored ads in an element of the page',
          description:
            'For the src of a script element. The answer contains no ads: the script requests them from the browser, with the cid ' +
            'of that browser.',
          params: FormattedParams,
          querystring: FormattedQuery,
          response: { 200: SCRIPT },
        },
      },
      async (request, reply) => {
        const slot = inForce(snapshot, readSlot(request.params as never, request.query as never))
        const { loader } = await built()
        return script(reply).send(loaderScript(loader, slot))
      },
    )

    server.get(
      '/v1/dsa/script.js',
      {
        schema: {
          operationId: 'getSharedEmissionScript',
          summary: 'Read the part of the emission script that is the same for all pages',
          description: 'The scripts of /v1/dsa/formatted load it. A page may also load or preload it itself.',
          response: { 200: SCRIPT },
        },
      },
      async (request, reply) => {
        const { library, etag } = await built()
        const encoding = encodingFor(request.headers['accept-encoding'])
        script(reply).header('vary', 'Origin, Accept-Encoding').header('etag', `"${etag}-${encoding}"`)
        if (request.headers['if-none-match']?.includes(etag)) return (reply as FastifyReply).code(304).send()
        if (encoding !== 'identity') reply.header('content-encoding', encoding)
        return reply.send(library[encoding] as never)
      },
    )
  }
}

/** The slot, if the browser's ad request for it can be answered. @throws Problem (400) */
function inForce(snapshot: Snapshot, slot: Omit<FormattedSlot, 'lang'>): FormattedSlot {
  try {
    const [resolved] = resolveSlots(snapshot, [slot.targeting], sponsoredSlotRules)
    return { ...slot, lang: (resolved as Slot).shop.lang }
  } catch (error) {
    throw error instanceof Problem ? atSources(error) : error
  }
}

function script(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': CACHE_CONTROL,
    'x-content-type-options': 'nosniff',
    // Required by pages with a Cross-Origin-Embedder-Policy.
    'cross-origin-resource-policy': 'cross-origin',
  })
}

function encodingFor(accepted = ''): Encoding {
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted)) return 'br'
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted) ? 'gzip' : 'identity'
}

/**
 * The answer to one script element. The slot is a JSON literal that no value can end, so no value is run as code, even if a
 * page inlines the script into its HTML.
 * @param loader JavaScript that takes `endcapSlot` from its scope.
 */
function loaderScript(loader: string, slot: FormattedSlot): string {
  return `(()=>{const endcapSlot=${literal(slot)};${loader}})()\n`
}

/** `<` could end a script element; U+2028 and U+2029 end a line of JavaScript before ES2019. */
function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
