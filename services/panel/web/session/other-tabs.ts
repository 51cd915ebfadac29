/** What the tabs of a browser tell each other: they share one session. */
export type SessionNews = { kind: 'SIGNED_IN'; userId: string } | { kind: 'SIGNED_OUT' }

const channel = new BroadcastChannel('endcap-session')

/** Tells the other tabs; this one does not hear it. */
export const tellOtherTabs = (news: SessionNews): void => channel.postMessage(news)

/** @returns a function that ends it. */
export function hearOtherTabs(heard: (news: SessionNews) => void): () => void {
  const listener = ({ data }: MessageEvent<SessionNews>) => heard(data)
  channel.addEventListener('message', listener)
  return () => channel.removeEventListener('message', listener)
}
