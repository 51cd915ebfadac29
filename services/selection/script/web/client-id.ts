/** The key in localStorage, or the cookie where storage is refused. A shop may have stored its own id under it. */
const NAME = 'endcap-cid'
const COOKIE_MAX_AGE_SECONDS = 31_536_000
/** Characters that a header can carry, in the length that the server accepts. */
const VALID = /^[!-:<-~]{1,256}$/

/** The browser's first-party id. A new one is stored, or lasts only as long as the page where the browser refuses. */
export function clientId(): string {
  const known = attempt(() => localStorage.getItem(NAME)) ?? attempt(readCookie)
  if (known && VALID.test(known)) return known
  const made = uuid()
  const stored = attempt(() => {
    localStorage.setItem(NAME, made)
    return true
  })
  if (!stored) attempt(() => writeCookie(made))
  return made
}

/** Null where the browser refuses: storage is off, full or denied to this frame. */
function attempt<T>(action: () => T): T | null {
  try {
    return action()
  } catch {
    return null
  }
}

function readCookie(): string | undefined {
  return document.cookie.match(`(?:^|; )${NAME}=([^;]+)`)?.[1]
}

function writeCookie(value: string): void {
  const secure = location.protocol === 'https:' ? ';secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is not in all browsers, and is asynchronous.
  document.cookie = `${NAME}=${value};path=/;max-age=${COOKIE_MAX_AGE_SECONDS};samesite=lax${secure}`
}

/** A UUID of version 4. `crypto.randomUUID` exists only on secure pages. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
