/** The fields whose values differ. A change that sends only these keeps what others have changed meanwhile. */
export function changedFields<T extends object>(before: T, after: T): Partial<T> {
  const was = new Map<string, unknown>(Object.entries(before))
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(was.get(name)),
  )
  return Object.fromEntries(changed) as Partial<T>
}
