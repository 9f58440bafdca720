/** Kinds of changes that the server reports (src/admin/live/kinds.ts). A query lists those that it shows in its `meta`. */
export const LIVE_KINDS = [
  'orders',
  'products',
  'customers',
  'subscriptions',
  'contacts',
  'lists',
  'events',
  'messages',
  'mailbox',
  'campaigns',
  'flows',
  'imports',
  'notices',
] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

/** Pause after a refusal: too many pages are open, or the server is being updated. */
const REOPEN_MS = 30_000;

/**
 * Calls back with the kinds of what changes. One window of the browser holds the stream and notifies the others: without HTTP/2 a
 * browser has six connections for all of them. Where windows cannot agree on one (no https), each has its own.
 */
export function follow(
  company: number,
  onChange: (kinds: readonly LiveKind[]) => void,
  onRefused: () => void,
): () => void {
  const name = `tradeloom-live-${company}`;
  const channel = new BroadcastChannel(name);
  const ended = new AbortController();
  let source: EventSource | null = null;
  let reopen: ReturnType<typeof setTimeout> | undefined;

  const tell = (kinds: readonly LiveKind[]): void => {
    channel.postMessage(kinds);
    onChange(kinds);
  };
  const open = (wasBehind = false): void => {
    source = new EventSource(`/admin/api/${company}/live`);
    let isReady = false;
    let isBehind = wasBehind;
    // A stream reports what changes after it is ready. Once it was, one that the browser reconnects continues where it was lost.
    source.addEventListener('ready', () => {
      isReady = true;
      if (isBehind) tell(LIVE_KINDS);
      isBehind = false;
    });
    source.addEventListener('change', (event) => {
      const { kinds } = JSON.parse((event as MessageEvent).data as string) as { kinds: LiveKind[] };
      tell(kinds);
    });
    source.addEventListener('error', () => {
      isBehind ||= !isReady;
      // After a lost connection the browser reconnects by itself.
      if (source?.readyState !== EventSource.CLOSED) return;
      onRefused();
      reopen = setTimeout(open, REOPEN_MS, true);
    });
  };
  channel.addEventListener('message', (event) => onChange((event as MessageEvent).data as LiveKind[]));
  if (navigator.locks === undefined) open();
  else {
    const hold = (isBehind: boolean): Promise<void> =>
      new Promise((release) => {
        if (ended.signal.aborted) return release();
        ended.signal.addEventListener('abort', () => release());
        open(isBehind);
      });
    const lead = async (): Promise<void> => {
      const wasFirst = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
        if (lock !== null) await hold(false);
        return lock !== null;
      });
      // The window that held the stream has closed: nothing reported what changed since, or while its connection was lost.
      if (!wasFirst) await navigator.locks.request(name, { signal: ended.signal }, () => hold(true));
    };
    lead().catch((error: unknown) => {
      if (!ended.signal.aborted) throw error;
    });
  }
  return () => {
    ended.abort();
    clearTimeout(reopen);
    source?.close();
    channel.close();
  };
}
