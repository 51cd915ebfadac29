/** Messages between the tabs of a browser, which share one session. */
export type SessionNews = { kind: 'SIGNED_IN'; email: string } | { kind: 'SIGNED_OUT' }

const channel = new BroadcastChannel('endcap-session')

/** Tells the other tabs; this tab does not receive the message. */
export const tellOtherTabs = (news: SessionNews): void => channel.postMessage(news)

/** Calls `heard` for each message of another tab. @returns a function that ends it. */
export function hearOtherTabs(heard: (news: SessionNews) => void): () => void {
  const listener = ({ data }: MessageEvent<SessionNews>) => heard(data)
  channel.addEventListener('message', listener)
  return () => channel.removeEventListener('message', listener)
}
