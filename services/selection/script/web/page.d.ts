import type { FormattedSlot } from '../../../../schemas/http/formatted.ts'

/** The only global that the script adds to the page. */
export interface Endcap {
  /** Each script element pushes its slot here; an array until the library has loaded. */
  slots: { push(slot: FormattedSlot): unknown }
  /** Looks for the slots' elements again, after the page has added or replaced some. */
  rescan(): void
  /** The client id of the ad requests. Purchases that are sent with it can be attributed to the ads. */
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
