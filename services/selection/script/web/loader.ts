import type { FormattedSlot } from '../../../../schemas/http/formatted.ts'

/** Declared by the answer that this code is put into. */
declare const endcapSlot: FormattedSlot

const own = document.currentScript as HTMLScriptElement
let { endcap } = window
// An element of the page with the id `endcap` would be `window.endcap` too.
if (!endcap?.slots) {
  endcap = window.endcap = { slots: [], rescan() {} }
  const url = `${own.src.split('/v1/dsa/formatted/')[0]}/v1/dsa/script.js`
  const policy = window.trustedTypes?.createPolicy('endcap', { createScriptURL: (text) => text })
  const library = document.createElement('script')
  library.src = policy?.createScriptURL(url) ?? url
  library.crossOrigin = 'anonymous'
  library.nonce = own.nonce
  document.head.append(library)
}
endcap.slots.push(endcapSlot)
