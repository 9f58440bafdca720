export const HIDDEN = '•••';

/** Whether a field of this name holds a URL, which may contain a password or a key. */
export function isAddress(name: string): boolean {
  return /(^|_)ur[li]$/i.test(name);
}

/** Returns the URL without its password and query values; anything that is not a URL is returned unchanged. */
export function withoutKeys(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  const [password, query] = [url.password !== '', [...url.searchParams.keys()]];
  if (!password && query.length === 0) return address;
  const account = password || url.username !== '' ? `${HIDDEN}@` : '';
  const search = query.length === 0 ? '' : `?${query.map((name) => `${encodeURIComponent(name)}=${HIDDEN}`).join('&')}`;
  return `${url.protocol}//${account}${url.host}${url.pathname}${search}`;
}
