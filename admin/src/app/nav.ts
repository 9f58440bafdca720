import { defaultParseSearch, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useShop } from './session.tsx';

/** The address, below /admin, of a path of the shown company. */
export function useHref(): (path: string) => string {
  const { company } = useShop();
  return (path) => `/${company.id}/${path}`;
}

/** Splits a path of the shown company and its search part for the router. */
export function useTarget(): (path: string) => { to: string; search: SearchValues } {
  const href = useHref();
  return (path) => {
    const [name = '', search = ''] = path.split(/\?(.*)/s);
    // A number stays a number, so that the address stays as written; pages read it as text (useSearchValues).
    return { to: href(name), search: defaultParseSearch(search) as SearchValues };
  };
}

/** Navigates to a path of the shown company. */
export function useGo(): (path: string, options?: { replace?: boolean }) => void {
  const navigate = useNavigate();
  const target = useTarget();
  return (path, options) => void navigate({ ...target(path), ...options });
}

/** The number in the address under `name`. */
export function useId(name = 'id'): number {
  const params = useParams({ strict: false }) as Record<string, string | undefined>;
  return Number(params[name]);
}

export type SearchValues = Record<string, string>;

/** Returns the search part of the address as texts, and a function that changes parts of it ('' removes); Back undoes a push. */
export function useSearchValues(): [SearchValues, (change: SearchValues, how?: 'replace' | 'push') => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const values = Object.fromEntries(Object.entries(search).map(([key, value]) => [key, String(value)]));
  const change = (part: SearchValues, how: 'replace' | 'push' = 'replace'): void => {
    const next = Object.fromEntries(Object.entries({ ...values, ...part }).filter(([, value]) => value !== ''));
    void navigate({ to: '.', search: next, replace: how === 'replace', resetScroll: false });
  };
  return [values, change];
}

/** Returns a value of the address if it is one of those known. */
export function oneOf<Value extends string>(
  values: readonly Value[],
  value: string | undefined,
  otherwise: Value,
): Value {
  return values.find((one) => one === value) ?? otherwise;
}
