/** Of every suite. They only end what hangs: on a busy machine of two cores no test comes near them. */
export const limits = {
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
}
