/**
 * Finds how far the events of a partition have verdicts. Both are read from the end of their partition. The verdicts keep the order
 * of the events, and leave out those that became dead letters. Either may end before the other, because a mirror has copied the two
 * topics up to different moments.
 */

/** Names an event, or the event of a verdict. An event that was sent twice is listed twice. */
export type EventName = string

/**
 * @param events, verdicts the last ones of their partition, in order.
 * @returns how many of the events come before the first one without a verdict. Null when too little is known, because no event that
 * was sent only once is in both lists.
 */
export function countJudged(events: readonly EventName[], verdicts: readonly EventName[]): number | null {
  const anchor = anchorOf(events, verdicts)
  if (!anchor) return null
  const places = Map.groupBy(events.keys(), (at) => events[at]!)
  /** The place after the event of the last verdict whose event was found. */
  let judged = anchor.event
  let isLastFound = false
  for (const verdict of verdicts.slice(anchor.verdict)) {
    const at = places.get(verdict)?.find((place) => place >= judged)
    isLastFound = at !== undefined
    if (at !== undefined) judged = at + 1
  }
  // Where the event of the last verdict has not been copied, none after it has been either, so all of these events are judged.
  return isLastFound ? judged : events.length
}

/** The first verdict whose event is known without doubt: both lists name it once. */
function anchorOf(events: readonly EventName[], verdicts: readonly EventName[]) {
  const onceInEvents = namedOnce(events)
  const onceInVerdicts = namedOnce(verdicts)
  const verdict = verdicts.findIndex((name) => onceInVerdicts.has(name) && onceInEvents.has(name))
  return verdict < 0 ? null : { verdict, event: onceInEvents.get(verdicts[verdict]!)! }
}

function namedOnce(names: readonly EventName[]): Map<EventName, number> {
  const once = new Map<EventName, number>()
  const again = new Set<EventName>()
  for (const [at, name] of names.entries()) {
    if (again.has(name)) continue
    if (once.delete(name)) again.add(name)
    else once.set(name, at)
  }
  return once
}
