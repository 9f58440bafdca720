import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SESSION } from './session.tsx';

/** What the server tells of (src/admin/live/kinds.ts). A query names what it shows in its `meta`. */
export type LiveKind =
  | 'orders'
  | 'products'
  | 'customers'
  | 'subscriptions'
  | 'contacts'
  | 'lists'
  | 'events'
  | 'messages'
  | 'mailbox'
  | 'campaigns'
  | 'flows'
  | 'imports';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Asked for again when something of these kinds changes, */
      live?: readonly LiveKind[];
      /** but at most so often. */
      everyMs?: number;
    };
  }
}

const EVERY_MS = 1_000;
/** After a refusal: too many pages are open, or the server is being updated. */
const REOPEN_MS = 30_000;

/** Keeps what is shown of the company up to date. Queries that poll go on polling, for when there is no stream. */
export function useLive(company: number): void {
  const client = useQueryClient();
  useEffect(() => {
    const refresher = createRefresher(client, company);
    const stop = follow(company, refresher.refresh, () => void client.invalidateQueries({ queryKey: SESSION }));
    return () => {
      stop();
      refresher.stop();
    };
  }, [client, company]);
}

/**
 * Calls back with what changes. One window of the browser holds the stream and tells the others: without HTTP/2 a browser has six
 * connections for all of them. Where windows cannot agree on one (no https), each has its own.
 */
function follow(company: number, onChange: (kinds: LiveKind[]) => void, onRefused: () => void): () => void {
  const name = `tradeloom-live-${company}`;
  const channel = new BroadcastChannel(name);
  const ended = new AbortController();
  let source: EventSource | null = null;
  let reopen: ReturnType<typeof setTimeout> | undefined;

  const open = (): void => {
    source = new EventSource(`/admin/api/${company}/live`);
    source.addEventListener('change', ({ data }) => {
      const { kinds } = JSON.parse(data as string) as { kinds: LiveKind[] };
      channel.postMessage(kinds);
      onChange(kinds);
    });
    source.addEventListener('error', () => {
      // After a lost connection the browser connects again by itself.
      if (source?.readyState !== EventSource.CLOSED) return;
      onRefused();
      reopen = setTimeout(open, REOPEN_MS);
    });
  };
  channel.addEventListener('message', ({ data }) => onChange(data as LiveKind[]));
  if (navigator.locks === undefined) open();
  else {
    const hold = (): Promise<void> =>
      new Promise((release) => {
        ended.signal.addEventListener('abort', () => release());
        open();
      });
    navigator.locks.request(name, { signal: ended.signal }, hold).catch((error: unknown) => {
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

/** Asks again for what is shown of the kinds: each query at most as often as it allows. */
function createRefresher(client: QueryClient, company: number) {
  const waiting = new Map<string, ReturnType<typeof setTimeout>>();

  const refreshOne = (query: Query): void => {
    const wait = query.state.dataUpdatedAt + (query.meta?.everyMs ?? EVERY_MS) - Date.now();
    const ask = (): void => {
      waiting.delete(query.queryHash);
      // A window that nobody looks at asks once it is looked at.
      const refetchType = document.hidden ? 'none' : 'active';
      void client.invalidateQueries({ queryKey: query.queryKey, exact: true, refetchType }, { cancelRefetch: true });
    };
    if (waiting.has(query.queryHash)) return;
    if (wait <= 0) ask();
    else waiting.set(query.queryHash, setTimeout(ask, wait));
  };

  return {
    refresh(kinds: readonly LiveKind[]): void {
      const concerns = ({ queryKey, meta }: Query): boolean =>
        queryKey[0] === company && (meta?.live?.some((kind) => kinds.includes(kind)) ?? false);
      for (const query of client.getQueryCache().findAll({ predicate: concerns })) refreshOne(query);
    },
    stop(): void {
      for (const timer of waiting.values()) clearTimeout(timer);
    },
  };
}
