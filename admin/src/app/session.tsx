import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { accountApi, type Company, type Session } from '../api/account.ts';
import { type Api, apiOf, ok } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';

export const SESSION = ['session'] as const;

/** The signed-in session; null when nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: SESSION,
  staleTime: 300_000,
  queryFn: () =>
    ok<Session>(accountApi.GET('/session')).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }),
});

export function useSession() {
  return useQuery(sessionQuery);
}

interface Shop {
  company: Company;
  session: Session;
  api: Api;
  /** Whether the person's role holds the scope in this company. */
  can(scope: string): boolean;
}

const ShopContext = createContext<Shop | null>(null);

export function ShopProvider(props: { company: Company; session: Session; children: ReactNode }) {
  const { company, session } = props;
  const can = (scope: string): boolean => company.scopes.includes(scope) || company.scopes.includes('*');
  return <ShopContext value={{ company, session, api: apiOf(company.id), can }}>{props.children}</ShopContext>;
}

/** Returns the shown company, its client, and what the person may do in it. */
export function useShop(): Shop {
  const shop = useContext(ShopContext);
  if (shop === null) throw new Error('useShop outside of ShopProvider');
  return shop;
}

/** Ends the session here and on the server, and clears what was loaded. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await ok(accountApi.DELETE('/session'));
    sessionStorage.clear();
    client.setQueryData(SESSION, null);
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
  };
}
