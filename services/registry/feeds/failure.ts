/** The feed as a whole is refused: the run ends as FAILED with this message, which the feed's owner reads. */
export class FeedFailure extends Error {
  override readonly name = 'FeedFailure'
}
