import type { FormattedSlot } from '../../../../schemas/http/formatted.ts'

/** All that the script adds to the page's own names. */
export interface Endcap {
  /** Where each script element puts what it asks for; an array until the library is there. */
  slots: { push(slot: FormattedSlot): unknown }
  /** Looks for the elements again: some were added or replaced. */
  rescan(): void
  /** The client id that ads are asked for under. Purchases sent under it are attributed to them. */
  cid?: string
}

declare global {
  interface Window {
    endcap?: Endcap
    trustedTypes?: {
      createPolicy(
        name: string,
        rules: { createScriptURL(url: string): string },
      ): { createScriptURL(url: string): string }
    }
  }
  interface Document {
    prerendering?: boolean
  }
}
