/**
 * Returns the path to which an editor leads back, from `return` in its address: `/campaigns/3/edit?step=what` is a path
 * of the shown company. The result is in the form of `useGo`; null where it is missing or not such a path.
 */
export function wayBack(value: string | undefined): string | null {
  if (value === undefined || value.length > 500 || !/^\/[a-z]/.test(value) || !URL.canParse(value, BASE)) return null;
  const { origin, pathname, search } = new URL(value, BASE);
  // A value that the URL parser normalises was not written by this app.
  return origin === BASE && `${pathname}${search}` === value ? value.slice(1) : null;
}

const BASE = 'https://app.invalid';

/** Adds to the address `path` the way back to `from`; both in the form of `useGo`. */
export function withWayBack(path: string, from: string): string {
  return `${path}?return=${encodeURIComponent(`/${from}`)}`;
}
