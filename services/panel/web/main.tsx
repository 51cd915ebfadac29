import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './app.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { watchConnection } from './client/connection.ts'

/** The Content-Security-Policy of this page allows style elements with this nonce. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
// Read by react-remove-scroll, which locks the page behind dialogs.
Object.assign(globalThis, { __webpack_nonce__: nonce })

// Without its styles the panel is not rendered at all: the script in the page says so, and reloads it.
const hasStyles = getComputedStyle(document.documentElement).getPropertyValue('--panel-border') !== ''
if (hasStyles) {
  watchConnection()
  createRoot(document.getElementById('root')!).render(<App nonce={nonce} />)
}
