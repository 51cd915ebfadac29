/** Placeholder in the built page for the nonce of its Content-Security-Policy. Every answer gets a new nonce. */
export const NONCE_PLACEHOLDER = 'CSP-NONCE'
