import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { follow, type LiveKind } from './live-stream.ts';
import { SESSION } from './session.tsx';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Refetched when something of these kinds changes, */
      live?: readonly LiveKind[];
      /** but at most so often. */
      everyMs?: number;
    };
  }
}

const EVERY_MS = 1_000;

/** Keeps the company's data on the page up to date. Queries that poll continue to poll, in case there is no stream. */
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

/** Refetches the shown queries of these kinds: each query at most as often as it allows. */
function createRefresher(client: QueryClient, company: number) {
  const waiting = new Map<string, ReturnType<typeof setTimeout>>();

  const refreshOne = (query: Query): void => {
    const wait = query.state.dataUpdatedAt + (query.meta?.everyMs ?? EVERY_MS) - Date.now();
    const ask = (): void => {
      waiting.delete(query.queryHash);
      // A hidden window refetches when it becomes visible.
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
