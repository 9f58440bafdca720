export const HIDDEN = '•••';

/** Whether a field of this name is an address, which may hold a password or a key of the service there. */
export function isAddress(name: string): boolean {
  return /(^|_)ur[li]$/i.test(name);
}

/** The address without a password and without the values of its query; what is no address as it is. */
export function withoutKeys(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  const [password, query] = [url.password !== '', [...url.searchParams.keys()]];
  if (!password && query.length === 0) return address;
  const account = password || url.username !== '' ? `${HIDDEN}@` : '';
  const search = query.length === 0 ? '' : `?${query.map((name) => `${encodeURIComponent(name)}=${HIDDEN}`).join('&')}`;
  return `${url.protocol}//${account}${url.host}${url.pathname}${search}`;
}
