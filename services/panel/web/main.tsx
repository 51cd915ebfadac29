import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './app.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

/** The Content-Security-Policy of this page allows style elements with this nonce. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
// Read by react-remove-scroll, which locks the page behind dialogs.
Object.assign(globalThis, { __webpack_nonce__: nonce })

createRoot(document.getElementById('root')!).render(<App nonce={nonce} />)
