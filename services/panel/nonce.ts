/** Stands in the built page for the nonce of its Content-Security-Policy, which is another for each answer. */
export const NONCE_PLACEHOLDER = 'CSP-NONCE'
