/** The feed as a whole cannot be taken: the run ends as FAILED with this message, which its owner reads. */
export class FeedFailure extends Error {
  override readonly name = 'FeedFailure'
}
