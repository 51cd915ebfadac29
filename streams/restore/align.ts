/**
 * Where the verdicts end in the events that they are about. Both are read from the end of a partition; the verdicts keep the order
 * of the events, and leave out those that became dead letters. Neither need reach as far as the other: what a mirror has copied of
 * two topics ends at two moments.
 */

/** An event, or the event of a verdict. Sent twice, it is there twice. */
export type EventName = string

/**
 * @param events, verdicts the last ones of their partition.
 * @returns how many of the events come before the first without a verdict. Null: too little is known, because no event that was
 * sent once is in both.
 */
export function countJudged(events: readonly EventName[], verdicts: readonly EventName[]): number | null {
  const anchor = anchorOf(events, verdicts)
  if (!anchor) return null
  const places = Map.groupBy(events.keys(), (at) => events[at]!)
  /** Behind the event of the last verdict that has one. */
  let judged = anchor.event
  let isLastFound = false
  for (const verdict of verdicts.slice(anchor.verdict)) {
    const at = places.get(verdict)?.find((place) => place >= judged)
    isLastFound = at !== undefined
    if (at !== undefined) judged = at + 1
  }
  // The event of the last verdict has not been copied, nor has any that came after it.
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
