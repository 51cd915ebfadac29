/**
 * Whether the content fetched last still means the same offers, so that a fetch may be conditional. Known since this
 * process started; at first nothing is fresh, since a run may have been cut short.
 */
export class Freshness {
  /** Per feed: from when on it is stale, epoch ms; Infinity: as long as the content is the same. */
  readonly #staleAt = new Map<string, number>()

  isFresh(feedId: string, now: number): boolean {
    return now < (this.#staleAt.get(feedId) ?? Number.NEGATIVE_INFINITY)
  }

  /** The feed's offers are those of its content; `staleAt` null: until the content changes. */
  applied(feedId: string, staleAt: number | null): void {
    this.#staleAt.set(feedId, staleAt ?? Number.POSITIVE_INFINITY)
  }

  /** The feed's offers may be others than its content says. */
  lost(feedId: string): void {
    this.#staleAt.delete(feedId)
  }
}
