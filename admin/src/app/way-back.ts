/**
 * Where an editor leads back to, by `return` of its address: `/campaigns/3/edit?step=what` is a path of the shown company. Gives it as
 * `useGo` takes it; null where there is none, or it is no such path.
 */
export function wayBack(value: string | undefined): string | null {
  if (value === undefined || value.length > 500 || !/^\/[a-z]/.test(value) || !URL.canParse(value, BASE)) return null;
  const { origin, pathname, search } = new URL(value, BASE);
  // What the parser takes out or turns around was not written by this app.
  return origin === BASE && `${pathname}${search}` === value ? value.slice(1) : null;
}

const BASE = 'https://app.invalid';

/** The address `path` with the way back to `from`, both as `useGo` takes them. */
export function withWayBack(path: string, from: string): string {
  return `${path}?return=${encodeURIComponent(`/${from}`)}`;
}
